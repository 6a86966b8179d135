// The wire format. Only resp.cpp uses hiredis' parser.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/store/value.hpp"

struct redisReader;

namespace interlock::redis {

// Source: Redis protocol specification, "Sending commands to a Redis server".
void append_command_size(std::string& out, std::size_t parts);
void append_part(std::string& out, std::string_view part);
void append_part(std::string& out, std::int64_t number);

template <class... Parts>
void append_command(std::string& out, const Parts&... parts) {
  append_command_size(out, sizeof...(parts));
  (append_part(out, parts), ...);
}

// The answer of a server to one command. A status is text; so is an error inside a list.
class Answer {
 public:
  explicit Answer(Value content) : value(std::move(content)) {}
  static Answer error(std::string text) {
    Answer answer{Value(std::move(text))};
    answer.is_error = true;
    return answer;
  }
  // Only if it is an error.
  const std::string& error_text() const { return *value.text(); }

  Value value;
  bool is_error = false;
};

class AnswerReader {
 public:
  AnswerReader();

  void feed(std::string_view bytes);

  // None: the next answer is not complete yet. `indeterminate`: this is not the protocol, or a list
  // of more than a million elements; nothing that follows can be understood.
  std::optional<Result<Answer>> next();

  // Whether it has unread bytes, be it a part of an answer.
  bool has_more() const noexcept;

 private:
  struct FreeReader {
    void operator()(redisReader* reader) const noexcept;
  };
  std::unique_ptr<redisReader, FreeReader> reader_;
};

}  // namespace interlock::redis
