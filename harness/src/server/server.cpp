// The server's clock, scripts, transactions and messages.
#include "server/command.hpp"
#include "server/lua.hpp"
#include "server/notes.hpp"
#include "server/waiting.hpp"

namespace interlock::harness {
namespace {

Reply time(TypedKeys& database, const Words&) {
  const auto now = std::chrono::floor<std::chrono::microseconds>(database.now().time_since_epoch());
  const std::int64_t micros = now.count();
  return Value(std::vector<Value>{text(std::to_string(micros / 1'000'000)),
                                  text(std::to_string(micros % 1'000'000))});
}

Reply publish_message(TypedKeys& database, const Words& words) {
  return number(publish(database, words[1], words[2]));
}

Reply echo(TypedKeys&, const Words& words) {
  return text(words[1]);
}

// In a script or a transaction; a connection's own SELECT takes no step.
Reply select(TypedKeys&, const Words& words) {
  if (words[1] != "0") notes().stop("the database " + words[1] + " is not modelled, only 0");
  return ok();
}

// How many keys EVAL has; an error is the reply.
Result<std::size_t> count_of(const Words& words) {
  const auto count = whole_number(words[2]);
  if (!count) return not_a_number().error();
  if (*count > static_cast<std::int64_t>(words.size()) - 3) {
    return Error(Errc::rejected, "ERR Number of keys can't be greater than number of args");
  }
  if (*count < 0) return Error(Errc::rejected, "ERR Number of keys can't be negative");
  return static_cast<std::size_t>(*count);
}

// The session has put the text of the script in the place of its hash.
Reply eval_as(TypedKeys& database, const Words& words, ScriptKind kind) {
  const auto count = count_of(words);
  if (!count) return count.error();
  const auto keys = words.begin() + 3;
  const auto arguments = keys + static_cast<std::ptrdiff_t>(*count);
  return run_script(database, words[1], Words(keys, arguments), Words(arguments, words.end()),
                    kind);
}
Reply eval(TypedKeys& database, const Words& words) {
  return eval_as(database, words, ScriptKind::writes);
}
Reply eval_ro(TypedKeys& database, const Words& words) {
  return eval_as(database, words, ScriptKind::only_reads);
}

// WATCH key ... connection
Reply watch(TypedKeys& database, const Words& words) {
  for (std::size_t at = 1; at + 1 < words.size(); ++at) database.watch(words[at], words.back());
  return ok();
}

// UNWATCH key ... connection
Reply unwatch(TypedKeys& database, const Words& words) {
  for (std::size_t at = 1; at + 1 < words.size(); ++at) database.unwatch(words[at], words.back());
  return ok();
}

// With the statuses and errors of its commands, which are told from texts by marks.
Value result_of(const Reply& reply, Shape shape) {
  if (!reply) return text(tagged_error(reply.error().detail()));
  if (shape == Shape::tagged || reply->text() == nullptr) return *reply;
  return text(shape == Shape::status ? tagged_status(*reply->text()) : tagged_text(*reply->text()));
}

// EXEC connection watched-count key ... {word-count word ...} ...
Reply exec(TypedKeys& database, const Words& words) {
  std::size_t at = 1;
  const std::string& connection = words[at++];
  const std::size_t watched = std::stoul(words[at++]);
  bool clean = true;
  for (std::size_t key = at; key < at + watched; ++key) {
    clean = clean && database.is_watched(words[key], connection);
  }
  for (std::size_t key = at; key < at + watched; ++key) database.unwatch(words[key], connection);
  if (!clean) return Value();
  std::vector<Value> replies;
  for (at += watched; at < words.size();) {
    const std::size_t size = std::stoul(words[at]);
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const Words command(first, first + static_cast<std::ptrdiff_t>(size));
    replies.push_back(result_of(execute(database, command), shape_of(command)));
    at += size + 1;
  }
  return Value(std::move(replies));
}

}  // namespace

const std::vector<ServerCommand>& server_commands() {
  static const std::vector<ServerCommand> all{
      {"TIME", 1, false, 0, 0, 1, Shape::plain, time},
      {"PUBLISH", 3, false, 0, 0, 1, Shape::plain, publish_message},
      {"ECHO", 2, false, 0, 0, 1, Shape::plain, echo},
      {"SELECT", 2, false, 0, 0, 1, Shape::status, select},
      {"EVAL", -3, true, 0, 0, 1, Shape::tagged, eval},
      {"EVAL_RO", -3, false, 0, 0, 1, Shape::tagged, eval_ro},
      {"WATCH", -2, false, 1, -1, 1, Shape::status, watch},
      {"UNWATCH", -1, false, 1, -1, 1, Shape::status, unwatch},
      {"EXEC", -1, true, 0, 0, 1, Shape::tagged, exec},
  };
  return all;
}

}  // namespace interlock::harness
