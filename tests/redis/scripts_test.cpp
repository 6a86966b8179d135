// The owner scripts twice: as Lua on a real server, for one lock and for many in one call, and
// natively on a keyspace in memory. Random sequences over a few keys, with foreign values, wrong
// types and expiries, and every reply is compared. Plain commands run along, so that the two are
// compared as whole stores.
//
// Time: the server's clock runs, the keyspace's is set to the server's TIME before each step. A
// reply or an expiry may differ by what passed in between; so ttls are either long (nothing expires
// by itself; times are compared with a tolerance) or a wait takes the clock well past them, and
// fencing tokens are compared by the rule that makes them.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "interlock/lock_keys.hpp"
#include "interlock/owner_scripts.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"

namespace interlock::redis {
namespace {

using test::ask;
using test::Asked;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::shown;
using test::TestReactor;

// No machine is so busy that a step takes longer, and no long ttl so short that it matters.
constexpr std::int64_t tolerance_ms = 30'000;
constexpr std::int64_t tolerance_us = tolerance_ms * 1000;
constexpr milliseconds short_ttl{2};
// More than half a day, so that a renewal may have to put off the end of the fencing counter.
constexpr milliseconds long_ttl{100'000'000};

class KeyspaceWithoutListeners final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel&, const std::string&) override { return 0; }
};

RedisServer& server() {
  static RedisServer running;
  return running;
}

class Pair {
 public:
  Pair() { plain_.command({"FLUSHALL"}); }

  // A list instead of a string, in both.
  void make_other_type(const std::string& key) {
    plain_.command({"DEL", key});
    plain_.command({"RPUSH", key, "x"});
    set_clock();
    Entry entry("");
    entry.type = Entry::Type::other;
    native_.put(Key(key), entry);
  }
  void wait_for_short_ttls() { std::this_thread::sleep_for(short_ttl * 3); }

  std::pair<Reply, Reply> both(const Operation& op) {
    set_clock();
    Reply native = apply(native_, op);
    return {ask(*store_, op), std::move(native)};
  }

  // The server is told all of them at once, by a store that joins what it can.
  std::pair<std::vector<Reply>, std::vector<Reply>> all_at_once(const std::vector<Operation>& ops) {
    set_clock();
    std::deque<Asked> asked;
    std::pair<std::vector<Reply>, std::vector<Reply>> replies;
    for (const Operation& op : ops) {
      asked.emplace_back(*joining_store_, op);
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
      const std::string got = plain_.command({"GET", key});
      keys.emplace(key, got.starts_with("(error) WRONGTYPE") ? "(other)" : got);
    }
    return keys;
  }
  std::int64_t server_key_count() { return std::stol(plain_.command({"DBSIZE"})); }

 private:
  static std::string text_of(const Entry& entry) {
    return entry.type == Entry::Type::other ? "(other)" : entry.value;
  }
  void set_clock() {
    const std::string time = plain_.command({"TIME"});  // [seconds, microseconds]
    const auto comma = time.find(", ");
    const auto seconds = std::chrono::seconds{std::stol(time.substr(1, comma - 1))};
    native_.set_now(StoreTime(seconds + Duration{std::stol(time.substr(comma + 2))}));
  }

  PlainRedis plain_{server()};
  std::unique_ptr<KeyValueStore> store_ = (*backend(server().url()))->open();
  TestReactor reactor_;
  std::unique_ptr<KeyValueStore> joining_store_ = (*backend(server().url()))->open_on(reactor_);
  KeyspaceWithoutListeners native_;
};

// Numbers that are times may differ by the tolerance, where both are.
bool same_number(std::int64_t one, std::int64_t other) {
  if (one < 0 || other < 0) return one == other;
  const std::int64_t tolerance = one > 1'000'000'000'000 ? tolerance_us : tolerance_ms;
  return std::abs(one - other) <= tolerance;
}

bool same_text(const std::string& one, const std::string& other) {
  const bool numbers = one.size() > 12 &&
                       one.find_first_not_of("0123456789") == std::string::npos &&
                       other.find_first_not_of("0123456789") == std::string::npos;
  if (!numbers || other.empty()) return one == other;
  return std::abs(std::stol(one) - std::stol(other)) <= tolerance_us;
}

bool same_value(const Value& one, const Value& other, bool with_times) {
  if (one.number() != nullptr && other.number() != nullptr) {
    return with_times ? same_number(*one.number(), *other.number()) : one == other;
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

bool same_reply(const Operation& op, const Reply& one, const Reply& other) {
  if (one.has_value() != other.has_value()) return false;
  if (one) return same_value(*one, *other, op.kind == OperationKind::remaining);
  const auto word = [](const Reply& reply) {
    return reply.error().detail().substr(0, reply.error().detail().find(' '));
  };
  return one.error().code() == other.error().code() && word(one) == word(other);
}

enum class Kind { claim, renew, release, set, erase, remaining, get, other_type, lose_fence, wait };

class Step {
 public:
  Kind kind;
  std::string key;
  std::string owner;
  bool expires_soon;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << static_cast<int>(step.kind) << " " << step.key << " " << step.owner
             << (step.expires_soon ? " soon" : " late");
}

rc::Gen<Step> any_step() {
  return rc::gen::construct<Step>(
      // The scripts most often: they are what this is about.
      rc::gen::weightedElement<Kind>({{8, Kind::claim},
                                      {5, Kind::renew},
                                      {5, Kind::release},
                                      {2, Kind::set},
                                      {1, Kind::erase},
                                      {3, Kind::remaining},
                                      {2, Kind::get},
                                      {1, Kind::other_type},
                                      {2, Kind::lose_fence},
                                      {2, Kind::wait}}),
      rc::gen::element<std::string>("a", "b{tag}"),
      // Foreign holders have no mark; one name is a number, as a lost counter's key might hold.
      rc::gen::element<std::string>("il1:x", "il1:y", "foreign", "17"),
      rc::gen::weightedElement<bool>({{1, true}, {4, false}}));
}

Operation operation_of(const Step& step) {
  const milliseconds ttl = step.expires_soon ? short_ttl : long_ttl;
  switch (step.kind) {
    case Kind::claim:
      return operation(OperationKind::claim, step.key, step.owner, ttl);
    case Kind::renew:
      return operation(OperationKind::renew, step.key, step.owner, ttl);
    case Kind::release:
      return operation(OperationKind::release, step.key, step.owner);
    case Kind::set:
      return operation(OperationKind::set, step.key, step.owner, ttl);
    case Kind::erase:
      return operation(OperationKind::erase, step.key);
    case Kind::lose_fence:
      // Lost, or spoilt by a stranger.
      return step.expires_soon
                 ? operation(OperationKind::set, fencing_key(Key(step.key)).text(), "word")
                 : operation(OperationKind::erase, fencing_key(Key(step.key)).text());
    case Kind::remaining:
      return operation(OperationKind::remaining,
                       step.expires_soon ? fencing_key(Key(step.key)).text() : step.key);
    default:
      return operation(OperationKind::get, step.key);
  }
}

// The fencing tokens of one key, on both sides. Between two clocks they cannot be equal; but each
// must stay or grow where the other does.
class Tokens {
 public:
  // Of a claim's reply; none if it was not granted.
  static std::optional<std::int64_t> of(const Reply& reply) {
    if (!reply || reply->list() == nullptr || reply->list()->size() != 2) return std::nullopt;
    return *(*reply->list())[1].number();
  }
  void compare(const std::string& key, const Reply& lua, const Reply& native) {
    const auto on_server = of(lua);
    const auto in_memory = of(native);
    if (!on_server || !in_memory) return;
    const auto [last, first] = last_.try_emplace(key, 0, 0);
    RC_ASSERT(*on_server >= last->second.first);
    RC_ASSERT((*on_server <=> last->second.first) == (*in_memory <=> last->second.second));
    last->second = {*on_server, *in_memory};
  }

 private:
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> last_;
};

void take_step(Pair& pair, Tokens& tokens, const Step& step) {
  if (step.kind == Kind::wait) return pair.wait_for_short_ttls();
  if (step.kind == Kind::other_type) return pair.make_other_type(step.key);
  const Operation op = operation_of(step);
  const auto [lua, native] = pair.both(op);
  RC_LOG() << describe(op) << "\n  server " << shown(lua) << "\n  native " << shown(native) << "\n";
  RC_ASSERT(same_reply(op, lua, native));
  if (op.kind == OperationKind::claim) tokens.compare(step.key, lua, native);
  // What lives for 2 ms ends at an unknown step; end it now.
  if (op.ttl == short_ttl) pair.wait_for_short_ttls();
}

void compare_keys(Pair& pair) {
  const auto native = pair.native_keys();
  const auto on_server = pair.server_keys(native);
  for (const auto& [key, text] : native) {
    RC_LOG() << key << ": server " << on_server.at(key) << ", native " << text << "\n";
    RC_ASSERT(same_text(on_server.at(key), text));
  }
  RC_ASSERT(pair.server_key_count() >= static_cast<std::int64_t>(native.size()));
}

RC_GTEST_PROP(OwnerScripts, LuaAndNativeAgreeOnEveryReplyAndEveryKey, ()) {
  const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
  Pair pair;
  Tokens tokens;
  for (const Step& step : steps) take_step(pair, tokens, step);
  compare_keys(pair);
}

// So many that joined commands are full; the name of one lock is the counter of another.
rc::Gen<std::string> any_of_many_locks() {
  return rc::gen::weightedOneOf<std::string>(
      {{1, rc::gen::just(fencing_key(Key("lock-1")).text())},
       {30, rc::gen::map(rc::gen::inRange(0, 40),
                         [](int number) { return "lock-" + std::to_string(number); })}});
}

class Locks {
 public:
  Kind kind;
  std::vector<std::pair<std::string, std::string>> keys_and_owners;
};

rc::Gen<Locks> any_locks() {
  return rc::gen::construct<Locks>(
      rc::gen::weightedElement<Kind>({{3, Kind::claim}, {2, Kind::renew}, {2, Kind::release}}),
      rc::gen::resize(
          60, rc::gen::container<std::vector<std::pair<std::string, std::string>>>(rc::gen::pair(
                  any_of_many_locks(), rc::gen::weightedElement<std::string>(
                                           {{4, "il1:x"}, {1, "il1:y"}, {1, "17"}})))));
}

std::ostream& operator<<(std::ostream& out, const Locks& locks) {
  out << static_cast<int>(locks.kind);
  for (const auto& [key, owner] : locks.keys_and_owners) out << " " << key << "/" << owner;
  return out;
}

void take_all_at_once(Pair& pair, Tokens& tokens, const Locks& locks) {
  std::vector<Operation> ops;
  for (const auto& [key, owner] : locks.keys_and_owners) {
    ops.push_back(operation_of({locks.kind, key, owner, false}));
  }
  const auto [lua, native] = pair.all_at_once(ops);
  for (std::size_t index = 0; index < ops.size(); ++index) {
    RC_LOG() << describe(ops[index]) << "\n  server " << shown(lua[index]) << "\n  native "
             << shown(native[index]) << "\n";
    RC_ASSERT(same_reply(ops[index], lua[index], native[index]));
    if (locks.kind == Kind::claim) tokens.compare(ops[index].key.text(), lua[index], native[index]);
  }
}

RC_GTEST_PROP(OwnerScripts, LuaForManyLocksIsNativeForOneAfterTheOther, ()) {
  Pair pair;
  Tokens tokens;
  const int rounds = *rc::gen::inRange(1, 8);
  for (int round = 0; round < rounds; ++round) {
    take_all_at_once(pair, tokens, *any_locks());
    // What makes locks differ from each other within one command.
    Step spoil = *any_step();
    spoil.key = *any_of_many_locks();
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        pair.make_other_type(spoil.key);
        break;
      case 1:
        pair.make_other_type(fencing_key(Key(spoil.key)).text());
        break;
      case 2:
        spoil.kind = Kind::lose_fence;
        take_step(pair, tokens, spoil);
        break;
      case 3:
        spoil.kind = Kind::set;
        take_step(pair, tokens, spoil);
        break;
    }
  }
  compare_keys(pair);
}

// Says that the property above meets what it claims to meet: without these a generator that always
// draws the same answer would pass.
TEST(OwnerScripts, TheComparisonTellsDifferencesFromTime) {
  const auto list = [](std::int64_t first, std::int64_t second) {
    return Value(std::vector<Value>{Value(first), Value(second)});
  };
  EXPECT_TRUE(same_value(list(1, 1'700'000'000'000'000), list(1, 1'700'000'000'000'900), false));
  EXPECT_FALSE(same_value(list(1, 1'700'000'000'000'000), list(0, 1'700'000'000'000'000), false));
  EXPECT_FALSE(same_value(list(1, 1'700'000'000'000'000), list(1, 1'600'000'000'000'000), false));
  EXPECT_FALSE(same_value(list(0, -1), list(0, 5), false));
  EXPECT_FALSE(same_value(Value(std::int64_t{1}), Value(std::int64_t{0}), false));
  EXPECT_FALSE(same_value(Value(std::string("a")), Value(), false));
}

// Too long a way for random steps to find it often.
TEST(OwnerScripts, ARenewalPutsOffTheEndOfTheCounterInBothWhenItComesNear) {
  Pair pair;
  const Operation claim = operation(OperationKind::claim, "k", "il1:a", long_ttl);
  const Operation renew = operation(OperationKind::renew, "k", "il1:a", long_ttl);
  const std::string counter = fencing_key(Key("k")).text();
  const Operation ends = operation(OperationKind::remaining, counter);
  constexpr milliseconds a_day{std::chrono::hours{24}};
  const milliseconds longer{std::chrono::hours{1}};
  for (const milliseconds left : {a_day + longer, a_day - longer}) {
    for (const Operation& op :
         {claim, operation(OperationKind::expire, counter, "", left), renew, ends}) {
      const auto [lua, native] = pair.both(op);
      EXPECT_TRUE(same_reply(op, lua, native))
          << describe(op) << ": server " << shown(lua) << ", native " << shown(native);
    }
    const Reply kept = pair.both(ends).first;
    EXPECT_EQ(*kept->number() > left.count(), left < a_day);
  }
}

TEST(OwnerScripts, FencingTokensGrowAlsoWhenTheCounterIsLostOrAhead) {
  PlainRedis plain(server());
  plain.command({"FLUSHALL"});
  const auto store = (*backend(server().url()))->open();
  const auto grant = [&](const std::string& owner) {
    const Reply reply = ask(*store, operation(OperationKind::claim, "k", owner, long_ttl));
    return reply && reply->list() && reply->list()->size() == 2 ? *(*reply->list())[1].number() : 0;
  };
  const std::int64_t first = grant("il1:a");
  EXPECT_EQ(grant("il1:a"), first);
  plain.command({"DEL", "k", "{k}:interlock:fence"});
  const std::int64_t second = grant("il1:b");
  EXPECT_GT(second, first);
  // A counter from a clock that was ahead: one more than it, not the clock.
  plain.command({"DEL", "k"});
  plain.command({"SET", "{k}:interlock:fence", "4102444800000000"});
  EXPECT_EQ(grant("il1:c"), 4'102'444'800'000'001);
}

}  // namespace
}  // namespace interlock::redis
