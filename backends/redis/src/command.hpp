// Operations as Redis commands, and Redis' answers as replies.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/operation.hpp"
#include "interlock/script.hpp"
#include "interlock/value.hpp"
#include "resp.hpp"

namespace interlock::redis {

// Remembers the digests of the scripts that were used. One thread.
class CommandEncoder {
 public:
  CommandEncoder();

  // Appends the command for an operation that is_immediate(). Scripts are named by their digest.
  void encode(const Operation& operation, std::string& out);
  // The same with the script's whole text, which the server remembers from then on.
  void encode_with_text(const Operation& operation, std::string& out);

 private:
  enum class Naming { by_digest, by_text };
  void encode_as(const Operation& operation, std::string& out, Naming naming);
  void begin_script(std::string& out,
                    const Script& script,
                    std::size_t keys,
                    std::size_t arguments,
                    Naming naming);
  const std::string& digest(const Script& script);

  std::vector<std::pair<const Script*, std::string>> digests_;
};

// The server does not know the script: send the command again with the text. Nothing was executed.
bool is_unknown_script(const Answer& answer);

Reply decode(OperationKind kind, Answer answer);

// The error behind an error answer: its code by what the caller can do.
Error server_error(const std::string& text);

}  // namespace interlock::redis
