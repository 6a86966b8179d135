// The owner scripts twice: as Lua on a real server, for one lock and for many in one call, and
// natively on a keyspace in memory. Random sequences over a few keys, with foreign values, wrong
// types and expiries, and every reply is compared. Plain commands run along, so that the two are
// compared as whole stores.
// Fencing tokens are compared by the rule that makes them.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "server_and_model.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

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
// must stay or grow where the other does, until a stranger writes a number into the counter: the
// holder is then told that number.
class Tokens {
 public:
  // The token in a claim's reply; none: it was not granted.
  static std::optional<std::int64_t> of(const Reply& reply) {
    if (!reply || reply->list() == nullptr || reply->list()->size() != 2) return std::nullopt;
    return *(*reply->list())[1].number();
  }
  void compare(const std::string& key, const Reply& lua, const Reply& native) {
    const auto on_server = of(lua);
    const auto in_memory = of(native);
    if (!on_server || !in_memory) return;
    granted_.insert(key);
    const auto [last, first] = last_.try_emplace(key, 0, 0);
    RC_ASSERT(*on_server >= last->second.first);
    RC_ASSERT((*on_server <=> last->second.first) == (*in_memory <=> last->second.second));
    last->second = {*on_server, *in_memory};
  }
  // Some operation wrote into `key`, which may be the counter of another lock.
  void written(const Key& key) {
    std::erase_if(last_, [&](const auto& each) { return fencing_key(Key(each.first)) == key; });
  }
  // Whether `key` is the counter of a lock that was granted. The store has seen that token, and
  // does not believe a smaller one.
  bool is_counter_of_a_granted_lock(const Key& key) const {
    return std::any_of(granted_.begin(), granted_.end(),
                       [&](const auto& lock) { return fencing_key(Key(lock)) == key; });
  }

 private:
  std::set<std::string> granted_;
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
  if (op.kind == OperationKind::claim || op.kind == OperationKind::set) tokens.written(op.key);
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

// A counter that is believed also when other locks were granted since: the store does not believe a
// token that lies more than a day behind theirs.
std::string a_second_ago() {
  const auto now = std::chrono::system_clock::now().time_since_epoch() - std::chrono::seconds{1};
  return std::to_string(std::chrono::duration_cast<Duration>(now).count());
}

// What may be written into `key` if it is the counter of a lock: a number that the store believes.
std::string believed_in(const std::string& key, const std::string& owner, const Tokens& tokens) {
  if (tokens.is_counter_of_a_granted_lock(Key(key))) return "foreign";
  return lock_of_fencing_key(Key(key)) && owner == "17" ? a_second_ago() : owner;
}

void take_all_at_once(Pair& pair, Tokens& tokens, const Locks& locks) {
  std::vector<Operation> ops;
  for (const auto& [key, owner] : locks.keys_and_owners) {
    ops.push_back(operation_of({locks.kind, key, believed_in(key, owner, tokens), false}));
  }
  const auto [lua, native] = pair.all_at_once(ops);
  for (std::size_t index = 0; index < ops.size(); ++index) {
    RC_LOG() << describe(ops[index]) << "\n  server " << shown(lua[index]) << "\n  native "
             << shown(native[index]) << "\n";
    RC_ASSERT(same_reply(ops[index], lua[index], native[index]));
    if (locks.kind != Kind::claim) continue;
    tokens.compare(ops[index].key.text(), lua[index], native[index]);
    tokens.written(ops[index].key);
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
        spoil.owner = believed_in(spoil.key, spoil.owner, tokens);
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
  const milliseconds least = long_ttl + Retention().duration() / 2;
  constexpr std::chrono::minutes a_minute{1};
  for (const milliseconds left : {least + a_minute, least - a_minute}) {
    for (const Operation& op :
         {claim, operation(OperationKind::expire, counter, "", left), renew, ends}) {
      const auto [lua, native] = pair.both(op);
      EXPECT_TRUE(same_reply(op, lua, native))
          << describe(op) << ": server " << shown(lua) << ", native " << shown(native);
    }
    const Reply kept = pair.both(ends).first;
    EXPECT_EQ(*kept->number() > left.count(), left < least);
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
