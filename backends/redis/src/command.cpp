#include "command.hpp"

#include <array>

#include "interlock/detail/assert.hpp"
#include "interlock/lock_keys.hpp"
#include "interlock/owner_scripts.hpp"
#include "sha1.hpp"

namespace interlock::redis {
namespace {

void append_set(const Operation& operation, std::string& out, bool only_if_absent) {
  append_command_size(out, 3U + (only_if_absent ? 1U : 0U) + (operation.ttl ? 2U : 0U));
  append_part(out, "SET");
  append_part(out, operation.key.text());
  append_part(out, operation.value);
  if (only_if_absent) append_part(out, "NX");
  if (operation.ttl) {
    append_part(out, "PX");
    append_part(out, operation.ttl->count());
  }
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}

// Refusals that say nothing about the command itself: it was not executed, and the same command
// may be accepted a moment later.
bool is_passing(std::string_view word) {
  constexpr std::array<std::string_view, 6> passing{"LOADING",  "MASTERDOWN", "CLUSTERDOWN",
                                                    "TRYAGAIN", "NOREPLICAS", "BUSY"};
  for (const std::string_view each : passing) {
    if (word == each) return true;
  }
  return false;
}

std::string_view advice_for(std::string_view word) {
  if (word == "READONLY") return "this is a replica: use the primary's address";
  if (word == "NOAUTH") return "give a password: redis://:password@host";
  if (word == "NOPERM") return "let this user run the command on these keys (ACL SETUSER)";
  if (word == "OOM") return "give the server more memory, or delete something";
  if (word == "MISCONF") return "see the server's log: it cannot save its data";
  return {};
}

}  // namespace

CommandEncoder::CommandEncoder() {
  for (const Script* script : {&claim_script(), &renew_script(), &release_script()}) {
    static_cast<void>(digest(*script));
  }
}

void CommandEncoder::encode(const Operation& operation, std::string& out) {
  encode_as(operation, out, Naming::by_digest);
}

void CommandEncoder::encode_with_text(const Operation& operation, std::string& out) {
  encode_as(operation, out, Naming::by_text);
}

const std::string& CommandEncoder::digest(const Script& script) {
  for (const auto& [known, digest] : digests_) {
    if (known == &script) return digest;
  }
  return digests_.emplace_back(&script, sha1_hex(script.lua())).second;
}

void CommandEncoder::begin_script(std::string& out,
                                  const Script& script,
                                  std::size_t keys,
                                  std::size_t arguments,
                                  Naming naming) {
  append_command_size(out, 3 + keys + arguments);
  append_part(out, naming == Naming::by_text ? "EVAL" : "EVALSHA");
  append_part(out, naming == Naming::by_text ? script.lua() : digest(script));
  append_part(out, static_cast<std::int64_t>(keys));
}

void CommandEncoder::encode_as(const Operation& operation, std::string& out, Naming naming) {
  const std::string& key = operation.key.text();
  switch (operation.kind) {
    case OperationKind::get:
      return append_command(out, "GET", key);
    case OperationKind::set:
      return append_set(operation, out, false);
    case OperationKind::set_if_absent:
      return append_set(operation, out, true);
    case OperationKind::exchange:
      return append_command(out, "GETSET", key, operation.value);
    case OperationKind::erase:
      return append_command(out, "DEL", key);
    case OperationKind::expire:
      return append_command(out, "PEXPIRE", key, operation.ttl->count());
    case OperationKind::remaining:
      return append_command(out, "PTTL", key);
    case OperationKind::increment:
      return append_command(out, "INCR", key);
    // The owner scripts: keys and arguments as apply() in core's keyspace.cpp passes them.
    case OperationKind::claim:
      begin_script(out, claim_script(), 2, 2, naming);
      append_part(out, key);
      append_part(out, fencing_key(operation.key).text());
      append_part(out, operation.value);
      return append_part(out, operation.ttl->count());
    case OperationKind::renew:
      begin_script(out, renew_script(), 2, 2, naming);
      append_part(out, key);
      append_part(out, fencing_key(operation.key).text());
      append_part(out, operation.value);
      return append_part(out, operation.ttl->count());
    case OperationKind::release:
      begin_script(out, release_script(), 1, 2, naming);
      append_part(out, key);
      append_part(out, operation.value);
      return append_part(out, release_channel(operation.key).text());
    case OperationKind::run:
      begin_script(out, *operation.script, operation.keys.size(), operation.arguments.size(),
                   naming);
      for (const Key& each : operation.keys) append_part(out, each.text());
      for (const std::string& each : operation.arguments) append_part(out, each);
      return;
    case OperationKind::publish:
      return append_command(out, "PUBLISH", key, operation.value);
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      break;
  }
  INTERLOCK_ASSERT(is_immediate(operation.kind));
}

bool is_unknown_script(const Answer& answer) {
  return answer.is_error && first_word(answer.error_text()) == "NOSCRIPT";
}

Error server_error(const std::string& text) {
  const std::string_view word = first_word(text);
  if (is_passing(word)) {
    return {Errc::unavailable, "the server is not ready: " + text + ": try again later"};
  }
  if (word == "MOVED" || word == "ASK") {
    return {Errc::rejected, "cluster redirect (" + text +
                                "): this server is part of a Redis Cluster, which is not "
                                "supported: use a server of its own for locks"};
  }
  const std::string_view advice = advice_for(word);
  if (advice.empty()) return {Errc::rejected, text};
  return {Errc::rejected, text + ": " + std::string(advice)};
}

Reply decode(OperationKind kind, Answer answer) {
  if (answer.is_error) return server_error(answer.error_text());
  if (kind != OperationKind::set_if_absent) return std::move(answer.value);
  return Value(std::int64_t{answer.value.is_nil() ? 0 : 1});
}

}  // namespace interlock::redis
