// Messages and those who listen.
#include <fnmatch.h>

#include <algorithm>

#include "server/command.hpp"
#include "server/waiting.hpp"

namespace interlock::harness {
namespace {

// A record: mailbox, link, `channel` or `pattern`, name.
constexpr const char* by_channel = "channel";
constexpr const char* by_pattern = "pattern";

bool is_of(const Words& record, const std::string& mailbox, const std::string& link) {
  return record[0] == mailbox && (link == "*" || record[1] == link);
}

// (SUBSCRIBE) mailbox link name ...
Reply subscribe(TypedKeys& database, const Words& words) {
  const char* const kind = words[0].starts_with("(P") ? by_pattern : by_channel;
  std::vector<Words> all = database.records(subscription_records);
  for (std::size_t at = 3; at < words.size(); ++at) {
    Words one{words[1], words[2], kind, words[at]};
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }
  database.put_records(subscription_records, all);
  return ok();
}

// (UNSUBSCRIBE) mailbox link name ...
Reply unsubscribe(TypedKeys& database, const Words& words) {
  const char* const kind = words[0].starts_with("(P") ? by_pattern : by_channel;
  std::vector<Words> all = database.records(subscription_records);
  std::erase_if(all, [&](const Words& one) {
    return is_of(one, words[1], words[2]) && one[2] == kind &&
           std::find(words.begin() + 3, words.end(), one[3]) != words.end();
  });
  database.put_records(subscription_records, all);
  return ok();
}

// (CLOSE) mailbox link
Reply close(TypedKeys& database, const Words& words) {
  for (const char* const name : {blocked_records, subscription_records}) {
    std::vector<Words> all = database.records(name);
    std::erase_if(all, [&](const Words& one) { return is_of(one, words[1], words[2]); });
    database.put_records(name, all);
  }
  return ok();
}

// (READ) mailbox
Reply read(TypedKeys& database, const Words& words) {
  Words waiting;
  for (const char* const name : {blocked_records, subscription_records}) {
    for (const Words& one : database.records(name)) {
      if (one[0] == words[1]) waiting.push_back(one[1]);
    }
  }
  std::vector<Value> all{text(joined(waiting))};
  std::vector<Words> sent = database.records(sent_records);
  std::erase_if(sent, [&](const Words& one) {
    if (one[0] != words[1]) return false;
    all.push_back(text(joined({one.begin() + 1, one.end()})));
    return true;
  });
  database.put_records(sent_records, sent);
  return Value(std::move(all));
}

// (WITH) mailbox word ...
Reply with_messages(TypedKeys& database, const Words& words) {
  const Reply reply = execute_and_serve(database, {words.begin() + 2, words.end()});
  const Reply messages = read(database, {for_session("READ"), words[1]});
  return Value(std::vector<Value>{*messages, number(reply ? 1 : 0),
                                  reply ? *reply : text(reply.error().detail())});
}

}  // namespace

std::string name_for_client(const Words& words) {
  const std::string name = in_capitals(words[0]);
  if (name == for_session("WITH")) return name_for_client({words.begin() + 2, words.end()});
  return is_for_session(name) ? plain_name(name) : name;
}

bool is_for_session(std::string_view name) {
  return name.starts_with('(');
}

void send_to(TypedKeys& database, const std::string& mailbox, const Words& what) {
  std::vector<Words> sent = database.records(sent_records);
  Words record{mailbox};
  record.insert(record.end(), what.begin(), what.end());
  sent.push_back(std::move(record));
  database.put_records(sent_records, sent);
  database.keys().publish(Channel(mailbox), "");
}

std::int64_t publish(TypedKeys& database, const std::string& channel, const std::string& message) {
  std::int64_t count = 0;
  // Redis sends to those who named the channel before it looks at patterns.
  for (const char* const kind : {by_channel, by_pattern}) {
    for (const Words& one : database.records(subscription_records)) {
      const std::string& name = one[3];
      const bool is_pattern = one[2] == by_pattern;
      if (one[2] != kind) continue;
      if (is_pattern ? ::fnmatch(name.c_str(), channel.c_str(), 0) != 0 : name != channel) continue;
      send_to(database, one[0],
              is_pattern ? Words{"pmessage", one[1], name, channel, message}
                         : Words{"message", one[1], channel, message});
      ++count;
    }
  }
  return count;
}

const std::vector<ServerCommand>& subscription_commands() {
  static const std::vector<ServerCommand> all{
      {"(SUBSCRIBE)", -4, true, 0, 0, 1, Shape::plain, subscribe},
      {"(PSUBSCRIBE)", -4, true, 0, 0, 1, Shape::plain, subscribe},
      {"(UNSUBSCRIBE)", -3, true, 0, 0, 1, Shape::plain, unsubscribe},
      {"(PUNSUBSCRIBE)", -3, true, 0, 0, 1, Shape::plain, unsubscribe},
      {"(WITH)", -3, true, 0, 0, 1, Shape::plain, with_messages},
      {"(CLOSE)", 3, true, 0, 0, 1, Shape::plain, close},
      {"(READ)", 2, true, 0, 0, 1, Shape::plain, read},
  };
  return all;
}

}  // namespace interlock::harness
