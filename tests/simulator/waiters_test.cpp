// Which clients wait, for which lock, and what may still end the wait.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "interlock/sim/explore.hpp"
#include "liveness_programs.hpp"

namespace interlock::sim {
namespace {

const Key other_key("other");

Task<void> takes_for_ever(Client& me) {
  for (;;) {
    co_await me.loop_head();
    const Result<bool> taken = co_await me.store().set_if_absent(lock_key, "1");
    if (taken && *taken) static_cast<void>(co_await me.store().erase(lock_key));
  }
}

Task<void> spins(Client& me) {
  return spin(me, false);
}

Task<void> waits_in_vain(Client& me, std::string lock) {
  me.wants(lock);
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(other_key));
  }
}

TEST(Waiters, AreLookedAtWhicheverClientTheyAre) {
  Scenario scenario("a waiter behind another program");
  scenario.client(takes_for_ever).client(spins).require(every_waiter_acquires("lock"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

// The world begins otherwise for the client that the key names: it alone waits for ever.
Task<void> waits_while_named(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  me.wants("lock");
  for (;;) {
    co_await me.loop_head();
    const Result<std::optional<std::string>> named = co_await me.store().get(lock_key);
    if (named && *named != mine.text()) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Waiters, AreLookedAtEachIfAnInitialKeyNamesOneOfIdenticalClients) {
  for (const std::string client : {"A", "B", "C"}) {
    Scenario scenario("named");
    scenario.clients(3, waits_while_named)
        .initially(lock_key, Entry("il1:" + client + "1"))
        .require(every_waiter_acquires("lock"));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  }
}

TEST(Waiters, OfEachLockAreLookedAtByThemselves) {
  Scenario scenario("two locks");
  scenario.client(spins)
      .client([](Client& me) { return waits_in_vain(me, "other"); })
      .require(every_waiter_acquires("lock"))
      .require(every_waiter_acquires("other"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "every waiter acquires other");
}

// It may also end, which is shorter.
Task<void> may_dawdle_and_wait(Client& me) {
  if (me.choose(2) == 0) co_return;
  for (int step = 0; step < 3; ++step) {
    static_cast<void>(co_await me.store().increment(lock_key));
  }
  co_await waits_in_vain(me, "lock");
}

TEST(Waiters, OfSeveralTheOneThatBeginsFirstIsToldWhicheverClientItIs) {
  const auto vain = [](Client& me) { return waits_in_vain(me, "lock"); };
  for (const bool first : {true, false}) {
    Scenario scenario("dawdlers");
    if (first) scenario.client(vain);
    scenario.client(may_dawdle_and_wait);
    if (!first) scenario.client(vain);
    scenario.require(every_waiter_acquires("lock"));
    const Verdict verdict = explore(scenario);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    for (const RunStep& step : verdict.run.steps) {
      EXPECT_FALSE(step.operation && step.operation->kind == OperationKind::increment)
          << describe(verdict.run);
    }
  }
}

TEST(Waiters, BehindAKeyThatExpiresLaterMayAcquireYet) {
  const auto outcome = [](std::optional<milliseconds> expiry) {
    Scenario scenario("a key that expires");
    scenario.client(spins)
        .initially(lock_key, Entry("1", expiry))
        .instants(3)
        .require(every_waiter_acquires("lock"));
    return explore(scenario).outcome;
  };
  EXPECT_EQ(outcome(milliseconds{10'000}), Outcome::incomplete);
  EXPECT_EQ(outcome(std::nullopt), Outcome::violated);
}

// It looks at its clock, and would end when that shows enough.
Task<void> looks_at_its_clock(Client& me) {
  me.wants("lock");
  const TimePoint end = me.time().now() + std::chrono::hours{1};
  for (;;) {
    co_await me.loop_head(end.time_since_epoch().count());
    static_cast<void>(co_await me.store().get(other_key));
    if (me.time().now() >= end) co_return;
  }
}

TEST(Waiters, WhoLookAtTheirClocksMayEndYet) {
  Scenario scenario("a clock");
  scenario.client(looks_at_its_clock).instants(3).require(every_waiter_acquires("lock"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::incomplete);
}

Task<void> wants_and_ends(Client& me) {
  me.wants("lock");
  static_cast<void>(co_await me.store().get(other_key));
}

TEST(Waiters, AreNoMoreWhenTheyHaveEnded) {
  Scenario scenario("a wish");
  scenario.client(wants_and_ends).require(every_waiter_acquires("lock"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// It goes on for ever, whatever becomes of what it has asked for.
Task<void> asks_once_and_goes_on(Client& me) {
  static_cast<void>(co_await me.store().set(other_key, "1"));
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(lock_key));
  }
}
Task<void> waits_until_it_is_done(Client& me) {
  me.wants("lock");
  for (;;) {
    co_await me.loop_head();
    const Result<std::optional<std::string>> done = co_await me.store().get(other_key);
    if (done && *done) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Waiters, ForALateRequestAcquireBecauseItArrivesAtLast) {
  const auto outcome = [](Fault fault) {
    Scenario scenario("a late request");
    scenario.client(asks_once_and_goes_on)
        .client(waits_until_it_is_done)
        .faults(FaultBudget().allow(fault))
        .require(every_waiter_acquires("lock"));
    return explore(scenario).outcome;
  };
  EXPECT_EQ(outcome(Fault::late_execution), Outcome::proved);
  EXPECT_EQ(outcome(Fault::lost_request), Outcome::violated);
}

}  // namespace
}  // namespace interlock::sim
