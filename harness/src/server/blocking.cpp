// Commands that block, and the clients that are blocked.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "server/command.hpp"
#include "server/waiting.hpp"

namespace interlock::harness {
namespace {

class BlockingCommand {
 public:
  std::string_view name;
  std::string_view at_once;  // the command that does the same without blocking
  DataType type;
  bool names_the_key;  // in its reply; it has a list of keys then
};

constexpr std::array blocking{
    BlockingCommand{"BLPOP", "LPOP", DataType::list, true},
    BlockingCommand{"BRPOP", "RPOP", DataType::list, true},
    BlockingCommand{"BLMOVE", "LMOVE", DataType::list, false},
    BlockingCommand{"BRPOPLPUSH", "RPOPLPUSH", DataType::list, false},
    BlockingCommand{"BZPOPMIN", "ZPOPMIN", DataType::sorted_set, true},
    BlockingCommand{"BZPOPMAX", "ZPOPMAX", DataType::sorted_set, true},
};

const BlockingCommand* find_blocking(std::string_view name) {
  const auto* const at =
      std::find_if(blocking.begin(), blocking.end(),
                   [name](const BlockingCommand& command) { return command.name == name; });
  return at == blocking.end() ? nullptr : at;
}

// The keys that the command waits for.
Words awaited_keys(const BlockingCommand& command, const Words& words) {
  return {words.begin() + 1, command.names_the_key ? words.end() - 1 : words.begin() + 2};
}

// The command on one of its keys, without blocking. Nil: there is nothing.
Reply try_on(TypedKeys& database,
             const BlockingCommand& command,
             const Words& words,
             const std::string& key) {
  if (!command.names_the_key) {
    Words at_once(words.begin(), words.end() - 1);
    at_once[0] = command.at_once;
    return execute(database, at_once);
  }
  Reply reply = execute(database, {std::string(command.at_once), key});
  if (!reply || reply->is_nil()) return reply;
  std::vector<Value> named{text(key)};
  if (reply->list() == nullptr) {
    named.push_back(*reply);
  } else {
    if (reply->list()->empty()) return Value();
    named.insert(named.end(), reply->list()->begin(), reply->list()->end());
  }
  return Value(std::move(named));
}

Reply try_all(TypedKeys& database, const BlockingCommand& command, const Words& words) {
  for (const std::string& key : awaited_keys(command, words)) {
    Reply reply = try_on(database, command, words, key);
    if (!reply || !reply->is_nil()) return reply;
  }
  return Value();
}

// Inside MULTI, where nothing blocks.
Reply without_blocking(TypedKeys& database, const Words& words) {
  const BlockingCommand& command = *find_blocking(in_capitals(words[0]));
  // Redis looks at these words before it looks at any key.
  if (command.name == "BLMOVE") {
    for (const std::size_t at : {3U, 4U}) {
      const std::string side = in_capitals(words[at]);
      if (side != "LEFT" && side != "RIGHT") return syntax_error();
    }
  }
  if (const auto time = time_to_block(words); !time) return time.error();
  return try_all(database, command, words);
}

// (BLPOP) mailbox link word ...
Reply block(TypedKeys& database, const Words& words) {
  Words plain{plain_name(words[0])};
  plain.insert(plain.end(), words.begin() + 3, words.end());
  Reply reply = without_blocking(database, plain);
  if (!reply || !reply->is_nil()) return reply;
  std::vector<Words> blocked = database.records(blocked_records);
  plain.insert(plain.begin(), words.begin() + 1, words.begin() + 3);
  blocked.push_back(std::move(plain));
  database.put_records(blocked_records, blocked);
  return reply;
}

Reply time_out(TypedKeys& database, const Words& words) {
  std::vector<Words> blocked = database.records(blocked_records);
  const auto removed = std::erase_if(
      blocked, [&](const Words& one) { return one[0] == words[1] && one[1] == words[2]; });
  database.put_records(blocked_records, blocked);
  return number(static_cast<std::int64_t>(removed));
}

// See recorded_reply().
Words reply_record(const std::string& link, const Reply& reply) {
  if (!reply) return {"reply", link, "error", reply.error().detail()};
  if (reply->text() != nullptr) return {"reply", link, "text", *reply->text()};
  Words record{"reply", link, "list"};
  for (const Value& part : *reply->list()) record.push_back(*part.text());
  return record;
}

// True: the client has its reply.
bool serve(TypedKeys& database, const Words& blocked, const std::string& key) {
  const Words words(blocked.begin() + 2, blocked.end());
  const BlockingCommand& command = *find_blocking(words[0]);
  const Words keys = awaited_keys(command, words);
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) return false;
  const auto data = database.find(key);
  if (!data || data->type != command.type) return false;
  const Reply reply = try_on(database, command, words, key);
  if (reply && reply->is_nil()) return false;
  send_to(database, blocked[0], reply_record(blocked[1], reply));
  return true;
}

std::vector<ServerCommand> make_commands() {
  std::vector<ServerCommand> all{
      {"BLPOP", -3, true, 1, -2, 1, Shape::null_list, without_blocking},
      {"BRPOP", -3, true, 1, -2, 1, Shape::null_list, without_blocking},
      {"BLMOVE", 6, true, 1, 2, 1, Shape::plain, without_blocking},
      {"BRPOPLPUSH", 4, true, 1, 2, 1, Shape::plain, without_blocking},
      {"BZPOPMIN", -3, true, 1, -2, 1, Shape::popped, without_blocking},
      {"BZPOPMAX", -3, true, 1, -2, 1, Shape::popped, without_blocking},
      {"(TIMEOUT)", 3, true, 0, 0, 1, Shape::plain, time_out},
  };
  for (const char* const name :
       {"(BLPOP)", "(BRPOP)", "(BLMOVE)", "(BRPOPLPUSH)", "(BZPOPMIN)", "(BZPOPMAX)"}) {
    all.push_back({name, -4, true, 0, 0, 1, Shape::plain, block});
  }
  return all;
}

}  // namespace

bool may_block(std::string_view name) {
  return find_blocking(name) != nullptr;
}

Result<Duration> time_to_block(const Words& words) {
  const std::string& word = words.back();
  char* end = nullptr;
  const double seconds = std::strtod(word.c_str(), &end);
  const bool number = !word.empty() && end == word.c_str() + word.size() && word[0] != ' ';
  constexpr double most = 1e12;
  if (!number || std::isnan(seconds) || std::abs(seconds) > most) {
    return Error(Errc::rejected, "ERR timeout is not a float or out of range");
  }
  if (seconds < 0) return Error(Errc::rejected, "ERR timeout is negative");
  const auto milli = static_cast<std::int64_t>(std::ceil(seconds * 1000));
  return std::chrono::duration_cast<Duration>(milliseconds(milli));
}

Reply recorded_reply(const Words& record) {
  if (record[2] == "error") return refuse(record[3]);
  if (record[2] == "text") return text(record[3]);
  std::vector<Value> parts;
  for (std::size_t at = 3; at < record.size(); ++at) parts.push_back(text(record[at]));
  return Value(std::move(parts));
}

void serve_blocked(TypedKeys& database) {
  // To serve a client may make another key ready.
  for (std::size_t at = 0; at < database.ready().size(); ++at) {
    const std::string key = database.ready()[at];
    std::vector<Words> blocked = database.records(blocked_records);
    const auto served =
        std::erase_if(blocked, [&](const Words& client) { return serve(database, client, key); });
    if (served > 0) database.put_records(blocked_records, blocked);
  }
}

const std::vector<ServerCommand>& blocking_commands() {
  static const std::vector<ServerCommand> all = make_commands();
  return all;
}

}  // namespace interlock::harness
