// Questions to a server that are no operations of locks: what it is, and which keys it has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "blocking_connection.hpp"
#include "command.hpp"
#include "interlock/detail/number.hpp"

namespace interlock::redis {

// What the server's part in the store is.
enum class ServerScope : std::uint8_t { whole_store, one_of_cluster };

// The answer to INFO, by fields.
class ServerInfo {
 public:
  explicit ServerInfo(std::string text) : text_(std::move(text)) {}

  std::string field(std::string_view name) const {
    const std::string line = "\r\n" + std::string(name) + ":";
    const auto found = text_.find(line);
    if (found == std::string::npos) return {};
    const auto begin = found + line.size();
    return text_.substr(begin, text_.find("\r\n", begin) - begin);
  }
  // The number at the beginning of the field: the first number of a version, say. 0: there is none.
  std::int64_t number(std::string_view name) const {
    const std::string text = field(name);
    std::string_view rest = text;
    return detail::take_number<std::int64_t>(rest).value_or(0);
  }

 private:
  std::string text_;
};

// Whether the text of a refusal has this word.
bool says(const std::string& refusal, std::string_view word);
// NOPERM for this key or channel, and not for the command.
bool is_about_patterns(const std::string& refusal);

// One thread at a time.
class ServerQuestions {
 public:
  explicit ServerQuestions(std::shared_ptr<Endpoint> endpoint) : connection_(std::move(endpoint)) {}

  template <class... Parts>
  Reply ask(const Parts&... parts) {
    std::string command;
    append_command(command, parts...);
    return ask_in_bytes(command);
  }
  // The same with a command that is encoded already.
  Reply ask_in_bytes(const std::string& command);
  // The server's clock, since 1970. 0: it does not tell.
  Duration time();

 private:
  BlockingConnection connection_;
};

}  // namespace interlock::redis
