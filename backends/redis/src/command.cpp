#include "command.hpp"

#include <algorithm>
#include <array>

#include "interlock/detail/assert.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/detail/sha1.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"

namespace interlock::redis {
namespace {

void append_set(const Operation& operation, std::string& out, bool only_if_absent) {
  append_command_size(out, 3U + (only_if_absent ? 1U : 0U) + (operation.ttl ? 2U : 0U));
  append_part(out, "SET");
  append_part(out, operation.key.text());
  append_part(out, operation.value.text());
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

bool is_of_a_replica(std::string_view word) {
  return word == "READONLY" || word == "MASTERDOWN";
}

bool is_of_a_cluster(std::string_view word) {
  return word == "MOVED" || word == "ASK";
}

// Redis has words of its own for a script that runs a command which the user may not run: up to 7.0
// "ERR The user executing the script can't ...", later "ERR ACL failure in script: ...". Gives them
// without the script's digest and line, which help no reader; empty: the text is about something
// else.
std::string_view refusal_in_script(std::string_view text) {
  for (const std::string_view begin : {"The user executing the script", "ACL failure in script"}) {
    const auto found = text.find(begin);
    if (found == std::string_view::npos) continue;
    return text.substr(found, text.find(" script: ", found + begin.size()) - found);
  }
  return {};
}

// Redis adds the script's digest and line to each error of a command in a script. They help nobody
// if the server or a key is what is wrong: only "ERR" can mean the script itself.
std::string_view without_place_in_script(std::string_view text, std::string_view word) {
  const auto script = text.find(" script: ");
  const auto place = text.rfind(", on @user_script:");
  if (word == "ERR" || script == std::string_view::npos || place == std::string_view::npos) {
    return text;
  }
  return text.substr(0, script);
}

// Up to 7.0 Redis does not name the command that it refuses to a script. It says the line, and the
// command is there: ", at DEL". Empty: it cannot be told.
std::string refused_command(std::string_view text, std::string_view lua) {
  constexpr std::string_view place = "@user_script:";
  const auto found = text.find(place);
  if (found == std::string_view::npos) return {};
  text.remove_prefix(found + place.size());
  const auto line = detail::take_number<std::size_t>(text);
  for (std::size_t before = 1; line && before < *line && !lua.empty(); ++before) {
    const auto end = lua.find('\n');
    lua.remove_prefix(end == std::string_view::npos ? lua.size() : end + 1);
  }
  lua = line && *line > 0 ? lua.substr(0, lua.find('\n')) : std::string_view();
  constexpr std::string_view call = "call('";
  std::string names;
  for (auto at = lua.find(call); at != std::string_view::npos; at = lua.find(call)) {
    lua.remove_prefix(at + call.size());
    names += (names.empty() ? ", at " : " or ") + std::string(lua.substr(0, lua.find('\'')));
  }
  return names;
}

std::string_view advice_for(std::string_view word) {
  if (word.empty()) return "see the server's log";
  if (word == "NOAUTH") return "give a password: write :password@ after the // of the URL";
  if (word == "NOPERM") return "let this user run the command on these keys (ACL SETUSER)";
  if (word == "OOM") return "give the server more memory, or delete something";
  if (word == "MISCONF") return "see the server's log: it cannot save its data";
  return {};
}

Value meaning_of(const Script& script, Value reply) {
  const ScriptBatch* const batch = script.batch();
  const bool may_be_short = batch != nullptr && batch->meaning != nullptr;
  return may_be_short ? batch->meaning(std::move(reply)) : reply;
}

Error senseless(const Value& answer) {
  return {Errc::indeterminate,
          "the server's answer makes no sense: " + to_string(answer).substr(0, 100) +
              ": what it has done is unknown"};
}

// The fencing token, or a reader's number, in the answer to a claim; null: the answer grants
// nothing, or is malformed.
const std::int64_t* granted_token(const Value& answer) {
  if (answer.number() != nullptr) return answer.number();
  const auto* list = answer.list();
  if (list == nullptr || list->empty()) return nullptr;
  // The number of a reader comes before the token that all readers have.
  const bool is_readers = list->size() == 3 && (*list)[0] == Value(3);
  return list->size() == 2 || is_readers ? (*list)[1].number() : nullptr;
}

void begin_script(std::string& out,
                  std::size_t keys,
                  std::size_t arguments,
                  std::string_view name,
                  Naming naming) {
  append_command_size(out, 3 + keys + arguments);
  append_part(out, naming == Naming::by_text ? "EVAL" : "EVALSHA");
  append_part(out, name);
  append_part(out, static_cast<std::int64_t>(keys));
}

}  // namespace

const std::string& CommandEncoder::digest(const Script& script) {
  for (const auto& [known, digest] : digests_) {
    if (known == &script) return digest;
  }
  return digests_.emplace_back(&script, detail::sha1_hex(script.lua())).second;
}

void CommandEncoder::encode_script(Joined operations, Naming naming, std::string& out) {
  const ScriptCall first(*operations.front(), memory_);
  const Script& script = first.script();
  const ScriptBatch* const batch = script.batch();
  const std::size_t calls = operations.size();
  const std::size_t common = batch != nullptr ? batch->common.size() : 0;
  begin_script(out, first.keys() * calls, common + (first.arguments() - common) * calls,
               naming == Naming::by_text ? script.lua() : digest(script), naming);
  for (std::size_t at = 0; at < first.keys(); ++at) {
    for (const Operation* each : operations) append_part(out, ScriptCall(*each, memory_).key(at));
  }
  for (std::size_t n = 0; n < common; ++n) append_part(out, first.argument(batch->common[n]));
  for (std::size_t at = 0; at < first.arguments(); ++at) {
    if (batch != nullptr && batch->is_common(at)) continue;
    for (const Operation* each : operations) {
      append_part(out, ScriptCall(*each, memory_).argument(at));
    }
  }
}

void CommandEncoder::encode(Joined operations, Naming naming, std::string& out) {
  const Operation& operation = *operations.front();
  const std::string& key = operation.key.text();
  switch (operation.kind) {
    case OperationKind::get:
      return append_command(out, "GET", key);
    case OperationKind::set:
      return append_set(operation, out, false);
    case OperationKind::set_if_absent:
      return append_set(operation, out, true);
    case OperationKind::exchange:
      return append_command(out, "GETSET", key, operation.value.text());
    case OperationKind::erase:
      return append_command(out, "DEL", key);
    case OperationKind::expire:
      return append_command(out, "PEXPIRE", key, operation.ttl->count());
    case OperationKind::remaining:
      return append_command(out, "PTTL", key);
    case OperationKind::increment:
      return append_command(out, "INCR", key);
    case OperationKind::claim:
    case OperationKind::renew:
    case OperationKind::release:
    case OperationKind::run:
      return encode_script(operations, naming, out);
    case OperationKind::publish:
      return append_command(out, "PUBLISH", key, operation.value.text());
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      break;
  }
  INTERLOCK_ASSERT(is_immediate(operation.kind));
}

bool may_grant(const Operation& operation) {
  const Script* const script = script_of(operation);
  return script != nullptr && script->reply() == ScriptReply::may_grant;
}

std::optional<std::string> doubt(const Operation& operation,
                                 const Reply& reply,
                                 SeenTokens& tokens,
                                 SeenTokens::Confirmation answer) {
  if (!reply || !may_grant(operation)) return std::nullopt;
  const std::int64_t* const token = granted_token(*reply);
  if (token == nullptr) return std::nullopt;
  std::string memory;
  const ScriptCall claim(operation, memory);
  const std::string& lock = claim.key(0);
  const std::string& owner = claim.argument(0);
  const SeenTokens::Judgement verdict = tokens.judge(lock, owner, *token, answer);
  if (verdict == SeenTokens::Judgement::believed) return std::nullopt;
  const bool is_too_small = verdict == SeenTokens::Judgement::not_greater;
  return "it grants '" + lock + "' with fencing token " + std::to_string(*token) +
         (is_too_small ? ", which is not greater than the last"
                       : ", with which another lock was granted");
}

bool is_unknown_script(const Answer& answer) {
  return answer.is_error && first_word(answer.error_text()) == "NOSCRIPT";
}

bool is_of_a_replica(const Answer& answer) {
  return answer.is_error && is_of_a_replica(first_word(answer.error_text()));
}

bool has_reply_of_a_replica(const Answer& answer) {
  const std::vector<Value>* const replies = answer.is_error ? nullptr : answer.value.list();
  return replies != nullptr &&
         std::any_of(replies->begin(), replies->end(), [](const Value& reply) {
           return reply.text() != nullptr && is_of_a_replica(first_word(*reply.text()));
         });
}

bool is_about_slots(const Answer& answer) {
  if (!answer.is_error) return false;
  const std::string_view word = first_word(answer.error_text());
  return word == "CROSSSLOT" || is_of_a_cluster(word);
}

std::string_view without_arguments(std::string_view text) {
  return text.substr(0, text.find(", with args beginning with"));
}

std::string told(std::string_view text) {
  constexpr std::size_t longest = 200;
  if (text.empty()) return "the server gave no reason";
  if (text.size() <= longest) return std::string(text);
  std::size_t size = longest;
  // Does not cut within a character of UTF-8.
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) --size;
  return std::string(text.substr(0, size)) + "...";
}

namespace {

// More is said after a colon.
std::string_view without_full_stop(std::string_view text) {
  if (text.ends_with('.') && !text.ends_with("..")) text.remove_suffix(1);
  return text;
}

}  // namespace

Error server_error(const std::string& whole, std::string_view lua) {
  const std::string_view word = first_word(whole);
  const std::string_view fact = without_place_in_script(whole, word);
  const std::string text = told(without_full_stop(fact));
  // A demoted primary names no other server to its clients. `unavailable` lets waiters go on
  // waiting.
  if (word == "READONLY") {
    return {Errc::unavailable, text + ": use the primary's address"};
  }
  if (is_passing(word)) {
    const std::string advice = word == "BUSY"
                                   ? "wait until that script has ended, or end it (SCRIPT KILL)"
                                   : "try again later";
    return {Errc::unavailable, "the server is not ready: " + text + ": " + advice};
  }
  if (word == "CROSSSLOT") {
    return {Errc::rejected, text + ": give all keys of one script the same hash tag"};
  }
  if (is_of_a_cluster(word)) {
    return {Errc::rejected,
            text +
                ": this server is one of a Redis Cluster: write redis+cluster:// to use them "
                "all"};
  }
  if (const auto refusal = refusal_in_script(whole); !refusal.empty()) {
    return {Errc::rejected, "NOPERM in a script" + refused_command(whole, lua) + ": " +
                                told(refusal) +
                                ": let this user run all that locks need (ACL SETUSER; the README "
                                "has the list)"};
  }
  if (text.starts_with("ERR unknown command")) {
    return {Errc::rejected, told(without_arguments(whole)) +
                                ": this is no Redis server that keeps locks (a Sentinel, a proxy): "
                                "use a server's own address"};
  }
  const std::string_view advice = advice_for(word);
  if (advice.empty()) return {Errc::rejected, told(fact)};
  return {Errc::rejected, text + ": " + std::string(advice)};
}

namespace {

// Redis does not say which of the keys this user may not use.
Error error_of(const Operation& operation, const Script* script, const Answer& answer) {
  const std::string_view lua = script != nullptr ? script->lua() : std::string_view();
  Error error = server_error(answer.error_text(), lua);
  const bool asks_for_quarantine =
      !operation.keys.empty() && operation.keys[operation.keys.size() - 1] == incarnation_key();
  if (!asks_for_quarantine || !error.detail().starts_with("NOPERM")) return error;
  return {error.code(), error.detail() + "; after-failover=wait needs +info and the key " +
                            incarnation_key().text()};
}

}  // namespace

Reply decode(const Operation& operation, Answer answer) {
  const Script* const script = script_of(operation);
  if (answer.is_error) return error_of(operation, script, answer);
  if (script != nullptr) return meaning_of(*script, std::move(answer.value));
  if (operation.kind != OperationKind::set_if_absent) return std::move(answer.value);
  return Value(std::int64_t{answer.value.is_nil() ? 0 : 1});
}

std::vector<Reply> decode_joined(const Script& script,
                                 const Answer& answer,
                                 std::size_t operations) {
  if (answer.is_error) return {operations, Reply(server_error(answer.error_text()))};
  const std::vector<Value>* const list = answer.value.list();
  if (list == nullptr || list->size() != operations) {
    return {operations, Reply(senseless(answer.value))};
  }
  std::vector<Reply> replies;
  replies.reserve(operations);
  for (const Value& each : *list) {
    if (const std::string* error = each.text()) {
      replies.emplace_back(server_error(*error));
    } else {
      replies.emplace_back(meaning_of(script, each));
    }
  }
  return replies;
}

}  // namespace interlock::redis
