// What each property makes of a client that crashes and begins again: the claims of the life before
// are not those of the new one.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "counting_client.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "interlock/store/script.hpp"

namespace interlock::sim {
namespace {

const Key lock_key("lock");
const char* const lock_name = "lock";

FaultBudget restarts(std::size_t count = 1) {
  return FaultBudget().allow(Fault::client_restart, count);
}

Task<void> enters_and_reads(Client& me) {
  me.wants(lock_name);
  me.note("inside", 0);
  static_cast<void>(co_await me.store().get(Key("k")));
  me.enter(lock_name);
  me.note("inside", 1);
  static_cast<void>(co_await me.store().get(Key("k")));
  me.note("inside", 0);
  co_await me.leave(lock_name);
}

TEST(ClientRestartProperties, ANewLifeBelievesNothingOfTheLifeBefore) {
  Scenario scenario("new life");
  scenario.client(enters_and_reads).faults(restarts());
  scenario.require(always("a new life begins with nothing", [](const Snapshot& world) {
    const ClientView& client = world.clients.front();
    return client.restarts == 0 || client.status != ClientView::Status::not_started ||
           (client.inside.empty() && client.wants.empty() && client.ghosts.empty());
  }));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved) << describe(explore(scenario));
}

Task<void> enters_without_a_lock(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  me.enter(lock_name);
  static_cast<void>(co_await me.store().get(Key("k")));
  co_await me.leave(lock_name);
}

Task<void> reads(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
}

// A second life may enter without the lock: it must not count as the first one, which has gone.
TEST(ClientRestartProperties, ANewLifeExcludesOthersAsAnyClient) {
  Scenario alone("alone");
  alone.client(enters_without_a_lock).client(reads);
  alone.faults(restarts(2)).require(mutual_exclusion(lock_name));
  EXPECT_NE(explore(alone).outcome, Outcome::violated);
}

TEST(ClientRestartProperties, WhatALifeHasCalledMayTakeEffectWhenItHasGone) {
  Scenario scenario("counting");
  scenario.clients(2, counts).faults(restarts());
  scenario.require(linearizable("it", sequential::counter()));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

Task<void> increments_twice(Client& me) {
  me.invokes("it", "increment");
  static_cast<void>(co_await me.store().increment(Key("n")));
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  if (number) me.returns("it", *number);
}

// The first life's increment is carried out, or arrives late: its effect is counted once, and a
// client that counts twice for one call is still found.
TEST(ClientRestartProperties, WhatALifeHasCalledTakesEffectAtMostOnce) {
  Scenario scenario("counting twice");
  scenario.clients(2, increments_twice);
  scenario.faults(restarts());
  scenario.require(linearizable("it", sequential::counter()));
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
}

Task<void> waits_for_its_turn(Client& me, bool again) {
  me.wants(lock_name);
  for (;;) {
    const Result<std::optional<std::string>> other = co_await me.store().get(Key("k"));
    if (other && !*other) break;
    if (!again) co_return;
    co_await me.loop_head();
  }
  me.enter(lock_name);
  co_await me.leave(lock_name);
}

Task<void> waits_for_the_mark(Client& me) {
  const Result<bool> marked = co_await me.store().set_if_absent(Key("k"), "mine");
  me.wants(lock_name);
  for (;;) {
    if (marked && *marked) break;
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(Key("k")));
  }
  me.enter(lock_name);
  co_await me.leave(lock_name);
  static_cast<void>(co_await me.store().erase(Key("k")));
}

TEST(ClientRestartProperties, ANewLifeMustReachItsGoal) {
  Scenario served("served");
  served.client([](Client& me) { return waits_for_its_turn(me, true); }).faults(restarts());
  served.require(every_waiter_acquires(lock_name));
  EXPECT_EQ(explore(served).outcome, Outcome::proved) << describe(explore(served));
  // A key that only a first life removes.
  Scenario starved("starved");
  starved.client(waits_for_the_mark);
  starved.require(every_waiter_acquires(lock_name));
  EXPECT_EQ(explore(starved).outcome, Outcome::proved) << describe(explore(starved));
  const Verdict verdict = explore(starved.faults(restarts()));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_TRUE(verdict.run.loop.has_value());
}

Task<void> subscribes_unless_first(Client& me) {
  const Channel channel("c");
  const Result<bool> first = co_await me.store().set_if_absent(Key("k"), "there");
  if (first && *first) co_return;
  const Result<SubscriptionId> made = co_await me.store().subscribe(channel);
  if (made) static_cast<void>(co_await me.store().await_message(*made, TimePoint::max()));
}

TEST(ClientRestartProperties, ANewLifeMayBeStuck) {
  Scenario scenario("stuck");
  scenario.client(subscribes_unless_first);
  EXPECT_EQ(explore(scenario.require(no_deadlock())).outcome, Outcome::proved);
  const Verdict verdict = explore(scenario.faults(restarts()));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, no_deadlock().name);
}

Task<void> waits_for_its_grant(Client& me) {
  const std::string token = me.tokens().fresh().text();
  const Channel channel("c");
  const Result<SubscriptionId> made = co_await me.store().subscribe(channel);
  if (!made) co_return;
  const Result<bool> mine = co_await me.store().set_if_absent(lock_key, token);
  if (mine && *mine) co_return;
  static_cast<void>(co_await me.store().await_message(*made, TimePoint::max()));
}

// The key that the first life has left holds its token, but the new life waits for another one.
TEST(ClientRestartProperties, AKeyOfTheLifeBeforeGrantsNothingToTheNewOne) {
  Scenario scenario("granted before");
  scenario.client(waits_for_its_grant);
  scenario.allow_deadlock().require(no_unheard_grant("lock"));
  EXPECT_NE(explore(scenario.faults(restarts())).outcome, Outcome::violated);
}

// --- a queue -------------------------------------------------------------------------------------

Task<Result<Value>> run_on_queue(KeyValueStore* store,
                                 const Script* script,
                                 std::vector<std::string> arguments) {
  std::vector<Key> keys{lock_key, fencing_key(lock_key), queue_key(lock_key)};
  co_return co_await store->run(*script, std::move(keys), std::move(arguments));
}

// Listens under the same name in each life, so that an offer to the life before is heard.
Task<void> queues(Client& me, std::string ear) {
  const std::string owner = me.tokens().fresh().text();
  const Channel channel(ear);
  const Result<SubscriptionId> made = co_await me.store().subscribe(channel);
  std::vector<std::string> claim{owner, "2500", "3602500", "1", "500", ear, "1000", "1000", "0"};
  const auto claimed = co_await run_on_queue(&me.store(), &queue_claim_script(), claim);
  const bool held = claimed && claimed->list() == nullptr;
  if (!held && made) {
    static_cast<void>(co_await me.store().await_message(*made, TimePoint::max()));
  }
  std::vector<std::string> release{owner, "released", "1", "500", "3600500"};
  static_cast<void>(co_await run_on_queue(&me.store(), &queue_release_script(), release));
}

TEST(ClientRestartProperties, APlaceOfTheLifeBeforePassesNobodyOver) {
  Scenario scenario("queue");
  for (const char* const ear : {"earA", "earB", "earC"}) {
    scenario.client([ear](Client& me) { return queues(me, ear); });
  }
  scenario.faults(restarts()).allow_deadlock().require(first_come_first_served(lock_name));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

}  // namespace
}  // namespace interlock::sim
