// A real server and core's keyspace side by side: every operation on both, and what counts as the
// same answer. For tests that compare the two.
//
// Time: the server's clock runs, the keyspace's is set to the server's TIME before each operation.
// A reply or an expiry may differ by what passed in between; so ttls are either long (nothing
// expires by itself; times are compared with a tolerance) or a wait takes the clock well past them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/keyspace.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"

namespace interlock::redis {

using test::ask;
using test::Asked;
using test::PlainRedis;
using test::RedisServer;
using test::TestReactor;

// No machine is so busy that a step takes longer, and no long ttl so short that it matters.
inline constexpr std::int64_t tolerance_ms = 30'000;
inline constexpr std::int64_t tolerance_us = tolerance_ms * 1000;
inline constexpr milliseconds short_ttl{2};
// More than half a day, so that a renewal may have to put off the end of the fencing counter.
inline constexpr milliseconds long_ttl{100'000'000};

class KeyspaceWithListeners final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel& channel, const std::string& message) override {
    if (!heard_channel || channel.text() != *heard_channel) return 0;
    messages.push_back(message);
    return 1;
  }
  bool knows_listeners() const override { return true; }
  bool may_be_heard(const Channel& channel) const override {
    return heard_channel && channel.text() == *heard_channel;
  }
  std::string incarnation() override { return incarnation_; }
  void is_in(const std::string& incarnation) { incarnation_ = incarnation; }

  std::optional<std::string> heard_channel;
  std::vector<std::string> messages;

 private:
  std::string incarnation_;
};

inline RedisServer& server() {
  static RedisServer running;
  return running;
}

class Pair {
 public:
  Pair() { plain_.command({"FLUSHALL"}); }

  // As if the server had been promoted: it gets another replication id, and keeps its data.
  void change_incarnation() {
    plain_.command({"REPLICAOF", "127.0.0.1", "1"});
    plain_.command({"REPLICAOF", "NO", "ONE"});
    native_.is_in(incarnation());
  }
  std::string incarnation() {
    const std::string info = plain_.command({"INFO", "replication"});
    const std::string field = "master_replid:";
    return info.substr(info.find(field) + field.size(), 40);
  }

  // A set, which nothing here has to do with, in both.
  void make_other_type(const std::string& key) {
    plain_.command({"DEL", key});
    plain_.command({"SADD", key, "x"});
    set_clock();
    Entry entry("");
    entry.type = Entry::Type::other;
    native_.put(Key(key), entry);
  }
  // A list without an end, in both.
  void make_list(const std::string& key, const std::vector<std::string>& lines) {
    plain_.command({"DEL", key});
    for (const std::string& line : lines) plain_.command({"RPUSH", key, line});
    native_.put(Key(key), Entry::list(lines, std::nullopt));
  }
  // From now on somebody listens there, in both.
  void listen(const std::string& channel) {
    listener_.command({"SUBSCRIBE", channel});
    native_.heard_channel = channel;
  }
  // What was said there since the last call, on the server and in the keyspace.
  std::pair<std::vector<std::string>, std::vector<std::string>> messages() {
    const std::string begin = "[message, " + *native_.heard_channel + ", ";
    const std::string number = std::to_string(++pings_);
    std::vector<std::string> on_server;
    // What was published before the answer to this PING comes before it.
    std::string answer = listener_.command({"PING", number});
    while (answer.starts_with(begin)) {
      on_server.push_back(answer.substr(begin.size(), answer.size() - begin.size() - 1));
      answer = listener_.next();
    }
    EXPECT_EQ(answer, "[pong, " + number + "]");
    return {on_server, std::exchange(native_.messages, {})};
  }
  std::pair<std::size_t, std::size_t> count_of_messages() {
    const auto [on_server, in_keyspace] = messages();
    return {on_server.size(), in_keyspace.size()};
  }
  void wait_for_short_ttls() { std::this_thread::sleep_for(short_ttl * 3); }

  std::pair<Reply, Reply> both(const Operation& op) {
    set_clock();
    Reply native = apply(native_, op);
    const bool may_grant = op.kind == OperationKind::claim || op.kind == OperationKind::run;
    if (may_grant) store_ = forgetful()->open();
    return {ask(*store_, op), std::move(native)};
  }

  // The server is told all of them at once, by a store that joins what it can.
  std::pair<std::vector<Reply>, std::vector<Reply>> all_at_once(const std::vector<Operation>& ops) {
    set_clock();
    const auto joining_store = forgetful()->open_on(reactor_);
    std::deque<Asked> asked;
    std::pair<std::vector<Reply>, std::vector<Reply>> replies;
    for (const Operation& op : ops) {
      asked.emplace_back(*joining_store, op);
      replies.second.push_back(apply(native_, op));
    }
    const auto all_done = [&] {
      return std::all_of(asked.begin(), asked.end(), [](const Asked& a) { return a.done(); });
    };
    EXPECT_TRUE(reactor_.run_until(all_done));
    for (Asked& each : asked) replies.first.push_back(each.take());
    return replies;
  }

  // The keys that exist, with what they hold; times are left to PTTL in the sequences.
  std::map<std::string, std::string> native_keys() {
    set_clock();
    std::map<std::string, std::string> keys;
    const auto entries = native_.entries();
    for (const auto& [key, entry] : entries) {
      if (const auto found = native_.find(key)) keys.emplace(key.text(), text_of(*found));
    }
    return keys;
  }
  std::map<std::string, std::string> server_keys(const std::map<std::string, std::string>& like) {
    std::map<std::string, std::string> keys;
    for (const auto& [key, text] : like) {
      std::string got = plain_.command({"GET", key});
      if (got.starts_with("(error) WRONGTYPE")) got = plain_.command({"LRANGE", key, "0", "-1"});
      keys.emplace(key, got.starts_with("(error) WRONGTYPE") ? "(other)" : got);
    }
    return keys;
  }
  // Who of a sorted set is in it on the server alone or in the keyspace alone, where a list of
  // "<time> <member>" stands for it; "[]": nobody. The scores are times in milliseconds, and the
  // server may still have those whose time has come.
  std::string differing_members(const std::string& key) {
    set_clock();
    const auto found = native_.find(Key(key));
    if (found && found->type != Entry::Type::list) {
      return plain_.command({"TYPE", key}) == "set" ? "[]" : "no set on the server";
    }
    std::vector<std::string> command{"EVAL", R"(
        local time = redis.call('TIME')
        local now_ms, in_keyspace, differ = time[1] * 1000 + time[2] / 1000, {}, {}
        for _, member in ipairs(ARGV) do
          in_keyspace[member] = true
          if not redis.call('ZSCORE', KEYS[1], member) then
            table.insert(differ, 'keyspace: ' .. member)
          end
        end
        local all = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
        for n = 1, #all, 2 do
          if not in_keyspace[all[n]] and tonumber(all[n + 1]) >= now_ms then
            table.insert(differ, 'server: ' .. all[n])
          end
        end
        return differ)",
                                     "1", key};
    if (found) {
      for (const std::string& line : found->lines()) {
        command.push_back(line.substr(line.find(' ') + 1));
      }
    }
    return plain_.command(command);
  }
  // Also those whose time has come.
  std::string server_members(const std::string& key) {
    return plain_.command({"SORT", key, "ALPHA"});
  }
  std::int64_t server_key_count() { return std::stol(plain_.command({"DBSIZE"})); }

 private:
  // Which has seen no fencing tokens: keys are spoilt here as no lock would, and a backend that
  // remembers doubts what a server grants then.
  static std::shared_ptr<Backend> forgetful() { return *backend(server().unix_url()); }
  static std::string text_of(const Entry& entry) {
    if (entry.is_string()) return entry.value;
    if (entry.type == Entry::Type::other) return "(other)";
    std::string text;
    for (const std::string& line : entry.lines()) text += (text.empty() ? "[" : ", ") + line;
    return text + "]";
  }
  void set_clock() {
    const std::string time = plain_.command({"TIME"});  // [seconds, microseconds]
    const auto comma = time.find(", ");
    const auto seconds = std::chrono::seconds{std::stol(time.substr(1, comma - 1))};
    native_.set_now(StoreTime(seconds + Duration{std::stol(time.substr(comma + 2))}));
  }

  PlainRedis plain_{server()};
  PlainRedis listener_{server()};
  std::unique_ptr<KeyValueStore> store_ = forgetful()->open();
  int pings_ = 0;
  TestReactor reactor_;
  KeyspaceWithListeners native_;
};

// A number that is greater is a fencing token: microseconds.
inline constexpr std::int64_t least_token = 1'000'000'000'000;

// Numbers that are times may differ by the tolerance, where both are.
inline bool same_number(std::int64_t one, std::int64_t other) {
  if (one < 0 || other < 0) return one == other;
  const std::int64_t tolerance = one > least_token ? tolerance_us : tolerance_ms;
  return std::abs(one - other) <= tolerance;
}

// Fencing tokens are microseconds, of 16 digits until 2286: they may differ by the tolerance.
inline bool same_text(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto is_token = [](const std::string& text) {
    return text.size() == 16 && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!is_token(one) || !is_token(other)) return false;
  return std::abs(std::stol(one) - std::stol(other)) <= tolerance_us;
}

inline bool same_value(const Value& one, const Value& other, bool with_times) {
  if (one.number() != nullptr && other.number() != nullptr) {
    const bool may_differ = with_times || *one.number() > least_token;
    return may_differ ? same_number(*one.number(), *other.number()) : one == other;
  }
  if (one.list() != nullptr && other.list() != nullptr) {
    if (one.list()->size() != other.list()->size() || one.list()->empty()) return one == other;
    // What comes first says which answer it is; the rest may be times.
    if ((*one.list())[0] != (*other.list())[0]) return false;
    for (std::size_t index = 1; index < one.list()->size(); ++index) {
      if (!same_value((*one.list())[index], (*other.list())[index], true)) return false;
    }
    return true;
  }
  // A fencing counter may be taken for a lock.
  if (one.text() != nullptr && other.text() != nullptr) {
    return same_text(*one.text(), *other.text());
  }
  return one == other;
}

inline bool same_reply(const Operation& op, const Reply& one, const Reply& other) {
  if (one.has_value() != other.has_value()) return false;
  if (one) return same_value(*one, *other, op.kind == OperationKind::remaining);
  const auto word = [](const Reply& reply) {
    return reply.error().detail().substr(0, reply.error().detail().find(' '));
  };
  return one.error().code() == other.error().code() && word(one) == word(other);
}

}  // namespace interlock::redis
