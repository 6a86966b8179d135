// Operations as Redis commands, and Redis' answers as replies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/store/operation.hpp"
#include "interlock/store/script.hpp"
#include "interlock/store/value.hpp"
#include "resp.hpp"
#include "seen_tokens.hpp"

namespace interlock::redis {

// One command: one operation, or calls of one script that takes a batch.
using Joined = std::span<const Operation* const>;

// How scripts are named: by their digest, or, if the server does not know that, by their whole
// text, which it remembers from then on.
enum class Naming : std::uint8_t { by_digest, by_text };

// Remembers the digests of the scripts that were used. One thread.
class CommandEncoder {
 public:
  // Appends the command for operations that are is_immediate().
  void encode(Joined operations, Naming naming, std::string& out);
  void encode(const Operation& operation, Naming naming, std::string& out) {
    const Operation* const one = &operation;
    encode(Joined(&one, 1), naming, out);
  }

 private:
  void encode_script(Joined operations, Naming naming, std::string& out);
  const std::string& digest(const Script& script);

  std::string memory_;  // of the texts that an operation does not have: kept for the next
  std::vector<std::pair<const Script*, std::string>> digests_;
};

// The server does not know the script: send the command again with the text. Nothing was executed.
bool is_unknown_script(const Answer& answer);
// READONLY, MASTERDOWN: the server is a replica and stays one. Another connection may lead
// elsewhere.
bool is_of_a_replica(const Answer& answer);
// The same, as the reply to one of several operations that were one command.
bool has_reply_of_a_replica(const Answer& answer);
// CROSSSLOT, MOVED, ASK: the server is part of a cluster.
bool is_about_slots(const Answer& answer);

// A claim, of whatever kind of lock.
bool may_grant(const Operation& operation);
// Why a reply cannot be the answer to this claim: it grants an impossible fencing token. The
// connection is then of no use. Remembers the token if it is possible.
std::optional<std::string> doubt(const Operation& operation,
                                 const Reply& reply,
                                 SeenTokens& tokens,
                                 SeenTokens::Confirmation answer);

// The reply to an operation that was a command of its own.
Reply decode(const Operation& operation, Answer answer);

// The replies to so many operations, more than one, that were one command, in their order. An
// answer that is not a list of as many is `indeterminate` for each.
std::vector<Reply> decode_joined(const Script& script,
                                 const Answer& answer,
                                 std::size_t operations);

// Leaves out the arguments that an error quotes, which would show owner tokens.
std::string_view without_arguments(std::string_view text);

// An error answer's text, for a message: at most 200 bytes of it, and never nothing.
std::string told(std::string_view text);

// The error behind an error answer: its code by what the caller can do. `lua`: the script that gave
// it, if one did.
Error server_error(const std::string& whole, std::string_view lua = {});

}  // namespace interlock::redis
