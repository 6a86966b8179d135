// The queue scripts twice, as scripts_test.cpp does it with the owner scripts: Lua on a real server
// and native on a keyspace in memory agree on every reply and every key.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <regex>

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "server_and_model.hpp"
#include "waiting_owners.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

enum class Kind {
  claim,
  release,
  set,
  erase,
  spoil,
  lose_fence,
  other_type,
  get,
  kept,
  wait,
};

rc::Gen<Step<Kind>> any_step() {
  return rc::gen::construct<Step<Kind>>(
      rc::gen::weightedElement<Kind>({{12, Kind::claim},
                                      {8, Kind::release},
                                      {1, Kind::set},
                                      {2, Kind::erase},
                                      {1, Kind::spoil},
                                      {1, Kind::lose_fence},
                                      {1, Kind::other_type},
                                      {3, Kind::get},
                                      {2, Kind::kept},
                                      {2, Kind::wait}}),
      rc::gen::element<std::string>("il1:x/fair", "il1:y/fair", "il1:z/fair", "il1:z", "foreign",
                                    "il1:k/keep:il1:k/fair"),
      rc::gen::weightedElement<std::string>({{6, "heard"}, {2, "unheard"}, {2, "-"}, {1, ""}}),
      rc::gen::weightedElement<std::string>({{3, "0"}, {2, "1"}}),
      rc::gen::weightedElement<bool>({{1, true}, {4, false}}));
}

const Key lock("k{tag}");

Operation script(const Script& which, std::vector<std::string> arguments, const Key& of = lock) {
  Operation op(OperationKind::run);
  op.script = &which;
  op.keys = {of, fencing_key(of), queue_key(of)};
  op.arguments = std::move(arguments);
  return op;
}

Operation claim(const std::string& owner,
                const std::string& wake_up,
                milliseconds ttl,
                const std::string& asked_before = "0",
                const Key& of = lock) {
  return script(queue_claim_script(), claim_arguments(owner, wake_up, ttl, asked_before), of);
}
Operation claim_again(const std::string& owner, const std::string& wake_up, milliseconds ttl) {
  return claim(owner, wake_up, ttl, "1");
}
Operation release(const std::string& owner, milliseconds window, const Key& of = lock) {
  return script(queue_release_script(), release_arguments(owner, window), of);
}

Operation operation_of(const Step<Kind>& step, const Key& of) {
  const milliseconds ttl = step.soon ? short_ttl : long_ttl;
  switch (step.kind) {
    case Kind::claim:
      return claim(step.owner, step.wake_up, ttl, step.asked_before, of);
    case Kind::release:
      return release(step.owner, ttl, of);
    case Kind::set:
      return operation(OperationKind::set, of.text(), step.owner, ttl);
    case Kind::erase:
      return operation(OperationKind::erase, (step.soon ? queue_key(of) : of).text());
    case Kind::kept:
      return operation(OperationKind::remaining, queue_key(of).text());
    case Kind::lose_fence:
      return step.soon ? operation(OperationKind::set, fencing_key(of).text(), "word")
                       : operation(OperationKind::erase, fencing_key(of).text());
    default:
      return operation(OperationKind::get, of.text());
  }
}

// Without instants, which differ by what passed between the two.
std::string without_times(const std::string& text) {
  static const std::regex instant(" ([wo])[0-9]+ ");
  return std::regex_replace(text, instant, " $1 ");
}

void take_step(Pair& pair, const Step<Kind>& step, const Key& of = lock) {
  if (step.kind == Kind::wait) return pair.wait_for_short_ttls();
  if (step.kind == Kind::other_type) {
    return pair.make_other_type((step.soon ? queue_key(of) : of).text());
  }
  if (step.kind == Kind::spoil) {
    if (step.soon) return pair.make_list(of.text(), {"a", "list"});
    return pair.make_list(queue_key(of).text(),
                          {"broken", "il1:x/fair w9999999999999 heard", "il1:y/fair w1", "",
                           "il1:z/fair o9999999999999 heard", "il1:y/fair w9999999999999 - more"});
  }
  const Operation op = operation_of(step, of);
  const auto [lua, native] = pair.both(op);
  RC_LOG() << describe(op) << "\n  server " << shown(lua) << "\n  native " << shown(native) << "\n";
  RC_ASSERT(same_reply(op, lua, native));
  if (step.soon) pair.wait_for_short_ttls();
}

void compare_keys(Pair& pair) {
  const auto native = pair.native_keys();
  const auto on_server = pair.server_keys(native);
  for (const auto& [key, text] : native) {
    RC_LOG() << key << ": server " << on_server.at(key) << ", native " << text << "\n";
    RC_ASSERT(same_text(without_times(on_server.at(key)), without_times(text)));
  }
  RC_ASSERT(pair.server_key_count() >= static_cast<std::int64_t>(native.size()));
}

RC_GTEST_PROP(QueueScripts, LuaAndNativeAgreeOnEveryReplyAndEveryKey, ()) {
  const auto steps = *rc::gen::container<std::vector<Step<Kind>>>(any_step());
  Pair pair;
  pair.listen("heard");
  for (const Step<Kind>& step : steps) {
    take_step(pair, step);
    compare_keys(pair);
  }
}

// So many that joined commands are full.
constexpr int many = 40;

Key numbered(int number) {
  return Key("lock-" + std::to_string(number));
}

class Call {
 public:
  int lock;
  std::string owner;
  std::string wake_up;
};

rc::Gen<Call> any_call() {
  return rc::gen::construct<Call>(
      rc::gen::inRange(0, many),
      rc::gen::weightedElement<std::string>({{6, "il1:x/fair"}, {1, "il1:y/fair"}, {1, "il1:z"}}),
      // Few that take a place: such a claim is no part of a batch.
      rc::gen::weightedElement<std::string>({{20, ""}, {1, "heard"}}));
}

std::ostream& operator<<(std::ostream& out, const Call& call) {
  return out << call.lock << "/" << call.owner << "/" << call.wake_up;
}

void take_all_at_once(Pair& pair, bool are_claims, const std::vector<Call>& calls) {
  std::vector<Operation> ops;
  for (const Call& call : calls) {
    const Key of = numbered(call.lock);
    ops.push_back(are_claims ? claim(call.owner, call.wake_up, long_ttl, "0", of)
                             : release(call.owner, long_ttl, of));
  }
  const auto [lua, native] = pair.all_at_once(ops);
  for (std::size_t index = 0; index < ops.size(); ++index) {
    RC_LOG() << describe(ops[index]) << "\n  server " << shown(lua[index]) << "\n  native "
             << shown(native[index]) << "\n";
    RC_ASSERT(same_reply(ops[index], lua[index], native[index]));
  }
}

RC_GTEST_PROP(QueueScripts, LuaForManyLocksIsNativeForOneAfterTheOther, ()) {
  Pair pair;
  pair.listen("heard");
  const int rounds = *rc::gen::inRange(1, 8);
  for (int round = 0; round < rounds; ++round) {
    const bool are_claims = *rc::gen::weightedElement<bool>({{3, true}, {2, false}});
    take_all_at_once(pair, are_claims,
                     *rc::gen::resize(60, rc::gen::container<std::vector<Call>>(any_call())));
    // What makes locks differ from each other within one command.
    for (int spoilt = 0; spoilt < 5; ++spoilt) {
      take_step(pair, *any_step(), numbered(*rc::gen::inRange(0, many)));
    }
    compare_keys(pair);
  }
}

std::int64_t first(const Reply& reply) {
  if (reply && reply->number()) return 1;  // a fencing token
  return reply && reply->list() ? *(*reply->list())[0].number() : -2;
}

// However far it reaches: the script has a short way for blocks that end in the clock's second.
TEST(QueueScripts, ABlockIsReservedToItsLastToken) {
  Pair pair;
  for (const std::int64_t block : {1, 4, 500'000, 1'000'000, 3'000'000}) {
    const Operation claim_block = script(
        queue_claim_script(), {"il1:a/fair", "60000", "3660000", std::to_string(block), "60000"});
    pair.both(operation(OperationKind::set, fencing_key(lock).text(), "1600000000000000"));
    const auto [lua, native] = pair.both(claim_block);
    const Reply counter = pair.both(operation(OperationKind::get, fencing_key(lock).text())).first;
    ASSERT_TRUE(same_reply(claim_block, lua, native)) << shown(lua) << " and " << shown(native);
    ASSERT_TRUE(lua->number() != nullptr) << shown(lua);
    EXPECT_EQ(shown(counter), '"' + std::to_string(*lua->number() + block - 1) + '"');
    pair.both(release("il1:a/fair", long_ttl));
  }
}

// The waiter may be of a client with a longer retention than the one that offers it the lock.
TEST(QueueScripts, AConfirmedOfferIsCountedWithTheRetentionOfItsHolder) {
  Pair pair;
  const Operation counter_ends = operation(OperationKind::remaining, fencing_key(lock).text());
  const std::vector<std::string> waiter{"il1:y/fair", "600000", "4200000", "1", "60000",
                                        "-",          "5000",   "10000",   "0"};
  std::vector<std::string> again = waiter;
  again.back() = "1";
  for (const Operation& op :
       {script(queue_claim_script(), {"il1:x/fair", "60000", "120000", "1", "60000"}),
        script(queue_claim_script(), waiter),
        script(queue_release_script(), {"il1:x/fair", "freed", "1", "60000", "120000"}),
        counter_ends, script(queue_claim_script(), again), counter_ends}) {
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(same_reply(op, lua, native)) << shown(lua) << " and " << shown(native);
  }
  EXPECT_GT(*pair.both(counter_ends).first->number(), 4'000'000);
}

// A holder that may keep the lock after its section is told that somebody waits: once.
TEST(QueueScripts, TheFirstWhoQueuesRecallsAHolderThatMayKeepTheLock) {
  Pair pair;
  pair.listen("interlock:ear:il1:k");
  const auto messages_of = [&](const Operation& op) {
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(same_reply(op, lua, native)) << shown(lua) << " and " << shown(native);
    return pair.count_of_messages();
  };
  const std::pair<std::size_t, std::size_t> none(0, 0);
  const std::pair<std::size_t, std::size_t> one(1, 1);
  for (const char* holder : {"il1:k/keep:il1:k/fair", "il1:h/keep:/keep:il1:k/fair"}) {
    EXPECT_EQ(messages_of(claim(holder, "", long_ttl)), none);
    EXPECT_EQ(messages_of(claim("il1:a/fair", "", long_ttl)), none);
    EXPECT_EQ(messages_of(claim_again("il1:a/fair", "-", long_ttl)), none);
    EXPECT_EQ(messages_of(release("il1:a/fair", long_ttl)), none);
    const bool is_first = std::string(holder).starts_with("il1:k");
    EXPECT_EQ(messages_of(claim("il1:b/fair", "-", long_ttl)), is_first ? one : none) << holder;
    EXPECT_EQ(messages_of(claim("il1:c/fair", "-", long_ttl)), none);
    pair.both(operation(OperationKind::erase, queue_key(lock).text()));
    pair.both(operation(OperationKind::erase, lock.text()));
  }
  for (const char* holder : {"il1:k/fair", "il1:k/keep:il1:k", "il1:k/keep:/fair",
                             "il1:k/keep:il1:k/fair/more", "il1:k/keep:il1: k/fair"}) {
    pair.both(operation(OperationKind::set, lock.text(), holder, long_ttl));
    EXPECT_EQ(messages_of(claim("il1:b/fair", "-", long_ttl)), none) << holder;
    pair.both(operation(OperationKind::erase, queue_key(lock).text()));
  }
}

// What a random walk meets seldom, step by step, and in both.
TEST(QueueScripts, AnOfferGoesToTheFirstWhoListensAndIsConfirmedByClaiming) {
  Pair pair;
  pair.listen("heard");
  const auto says = [&](const Operation& op) {
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(same_reply(op, lua, native)) << shown(lua) << " and " << shown(native);
    return lua;
  };
  EXPECT_EQ(first(says(claim("il1:a/fair", "heard", long_ttl))), 1);
  EXPECT_EQ(first(says(claim("il1:b/fair", "unheard", long_ttl))), 0);
  EXPECT_EQ(first(says(claim("il1:c/fair", "heard", long_ttl))), 0);
  EXPECT_EQ(first(says(claim("il1:d/fair", "heard", long_ttl))), 0);
  EXPECT_EQ(*says(release("il1:a/fair", short_ttl)), Value(std::int64_t{1}));
  // b had nobody listening; c has the offer, lets it pass, and keeps its place.
  pair.wait_for_short_ttls();
  EXPECT_EQ(first(says(claim_again("il1:c/fair", "heard", long_ttl))), 2);
  EXPECT_EQ(*says(release("il1:c/fair", long_ttl)), Value(std::int64_t{1}));
  EXPECT_EQ(*says(operation(OperationKind::get, lock.text())), Value(std::string("il1:d/fair")));
  // b is heard of again and is in front of e.
  EXPECT_EQ(first(says(claim("il1:e/fair", "heard", long_ttl))), 0);
  EXPECT_EQ(first(says(claim_again("il1:b/fair", "heard", long_ttl))), 0);
  EXPECT_EQ(first(says(claim_again("il1:d/fair", "heard", long_ttl))), 2);
  EXPECT_EQ(*says(release("il1:d/fair", long_ttl)), Value(std::int64_t{1}));
  EXPECT_EQ(*says(operation(OperationKind::get, lock.text())), Value(std::string("il1:b/fair")));
  // A waiter that gives an offer back hands the lock on.
  EXPECT_EQ(*says(release("il1:b/fair", long_ttl)), Value(std::int64_t{1}));
  EXPECT_EQ(*says(operation(OperationKind::get, lock.text())), Value(std::string("il1:e/fair")));
  EXPECT_EQ(*says(release("il1:e/fair", long_ttl)), Value(std::int64_t{1}));
  EXPECT_TRUE(says(operation(OperationKind::get, lock.text()))->is_nil());
  EXPECT_TRUE(says(operation(OperationKind::get, queue_key(lock).text()))->is_nil());
}

TEST(QueueScripts, AReleaseOffersNothingToAWaiterThatNobodyHears) {
  Pair pair;
  pair.both(claim("il1:a/fair", "unheard", long_ttl));
  pair.both(claim("il1:b/fair", "unheard", long_ttl));
  pair.both(release("il1:a/fair", long_ttl));
  const auto [lua, native] = pair.both(operation(OperationKind::get, lock.text()));
  EXPECT_TRUE(lua && lua->is_nil()) << shown(lua);
  EXPECT_TRUE(native && native->is_nil()) << shown(native);
}

// A waiter that enters by an offer's message keeps its place in front until it releases.
TEST(QueueScripts, AReleaseByWhoEnteredByAMessageTakesItsPlaceAway) {
  Pair pair;
  pair.listen("heard");
  pair.both(claim("il1:a/fair", "heard", long_ttl));
  pair.both(claim("il1:b/fair", "heard", long_ttl));
  pair.both(claim("il1:c/fair", "heard", long_ttl));
  for (const char* owner : {"il1:a/fair", "il1:b/fair", "il1:c/fair"}) {
    const Operation op = release(owner, long_ttl);
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(same_reply(op, lua, native)) << shown(lua) << " and " << shown(native);
    const auto keys = pair.native_keys();
    const auto on_server = pair.server_keys(keys);
    for (const auto& [key, text] : keys) {
      EXPECT_TRUE(same_text(without_times(on_server.at(key)), without_times(text)))
          << owner << ", " << key << ": " << on_server.at(key) << " and " << text;
    }
  }
}

// With a counter ahead of the clock, so that no token depends on when a script runs.
TEST(QueueScripts, AnOffersMessageIsTheSameInLuaAndNative) {
  Pair pair;
  pair.listen("heard");
  pair.both(operation(OperationKind::set, fencing_key(lock).text(), "5000000000000000"));
  pair.both(claim("il1:a/fair", "heard", long_ttl));
  for (const char* owner : {"il1:b/fair", "il1:c/fair", "il1:d/fair"}) {
    pair.both(claim(owner, "heard", long_ttl));
  }
  // b and c enter by their messages: their places stay until they release.
  pair.both(release("il1:a/fair", long_ttl));
  pair.both(release("il1:b/fair", long_ttl));
  pair.both(claim("il1:e/fair", "heard", long_ttl));
  pair.both(release("il1:c/fair", short_ttl));
  // d comes too late, and e asks meanwhile. A waiter whom nobody hears stands before f.
  pair.wait_for_short_ttls();
  pair.both(claim("il1:x/fair", "unheard", long_ttl));
  pair.both(claim("il1:f/fair", "heard", long_ttl));
  pair.both(release("il1:e/fair", long_ttl));
  pair.both(release("il1:f/fair", long_ttl));
  const auto [lua, native] = pair.messages();
  EXPECT_EQ(lua, native);
  const std::string window = std::to_string(long_ttl.count());
  const std::vector<std::string> expected{
      "il1:b/fair 5000000000000005 4 1 " + window, "il1:c/fair 5000000000000009 4 1 " + window,
      "il1:d/fair 5000000000000013 4 1 " + std::to_string(short_ttl.count()),
      "il1:e/fair 5000000000000017 4 1 " + window, "il1:f/fair 5000000000000021 4 1 " + window};
  EXPECT_EQ(lua, expected);
  const Reply left = pair.both(operation(OperationKind::remaining, queue_key(lock).text())).first;
  EXPECT_GT(*left->number(), 0) << "d and x keep their places";
}

}  // namespace
}  // namespace interlock::redis
