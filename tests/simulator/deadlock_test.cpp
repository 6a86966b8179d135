// A search finds a client that waits for something that cannot come, whatever else is required,
// unless the scenario allows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/store/lock_keys.hpp"
#include "with_threads.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* lock = "lock";

Task<void> visits(Client& me) {
  const std::string value = "1";
  const Result<bool> taken = co_await me.store().set_if_absent(Key(lock), value);
  if (!taken || !*taken) co_return;
  me.enter(lock);
  co_await me.leave(lock);
  static_cast<void>(co_await me.store().erase(Key(lock)));
}

Task<void> listens(Client& me, TimePoint until) {
  const Channel bell("bell");
  const Result<SubscriptionId> ear = co_await me.store().subscribe(bell);
  if (ear) static_cast<void>(co_await me.store().await_message(*ear, until));
}

Task<void> rings(Client& me) {
  const Channel bell("bell");
  const std::string text = "ding";
  static_cast<void>(co_await me.store().publish(bell, text));
}

Scenario one_that_listens(TimePoint until = TimePoint::max()) {
  Scenario scenario("listens");
  scenario.client([until](Client& me) { return listens(me, until); })
      .client(visits)
      .require(never("something else goes wrong"));
  return scenario;
}

void expect_deadlock(const Scenario& scenario, std::size_t steps, std::size_t faults = 0) {
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "no deadlock");
  EXPECT_EQ(verdict.run.steps.size(), steps) << describe(verdict.run);
  EXPECT_EQ(verdict.run.faults(), faults);
  EXPECT_EQ(verdict.run.steps.back().violates, "no deadlock");
}

TEST(Deadlock, AClientThatWaitsForEverIsFoundOnTheShortestWay) {
  // Subscribed, and the other one has come and gone.
  expect_deadlock(one_that_listens(), 4);
}

TEST(Deadlock, MayBeAllowed) {
  Scenario scenario = one_that_listens();
  EXPECT_EQ(explore(scenario.allow_deadlock()).outcome, Outcome::proved);
}

TEST(Deadlock, IsNotAWaitThatEndsAfterTheLastInstant) {
  for (const std::size_t instants : {std::size_t{1}, std::size_t{3}}) {
    Scenario scenario = one_that_listens(TimePoint(std::chrono::hours{24 * 365}));
    const Verdict verdict = explore(scenario.instants(instants));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  }
}

TEST(Deadlock, IsFoundBeforeTimePasses) {
  Scenario scenario = one_that_listens();
  expect_deadlock(scenario.instants(5), 4);
  expect_deadlock(scenario.instants(2).time_without_end(std::chrono::seconds{5}), 4);
}

TEST(Deadlock, IsFoundIfTheMessageWasSentBeforeTheSubscription) {
  Scenario scenario("rings early");
  scenario.client([](Client& me) { return listens(me, TimePoint::max()); })
      .client(rings)
      .require(never("anything"));
  expect_deadlock(scenario, 2);
}

// Two locks in two orders: each client has the lock for which the other one waits.
Task<void> takes(Client& me, Key key) {
  const Channel bell = release_channel(key);
  const Result<SubscriptionId> ear = co_await me.store().subscribe(bell);
  if (!ear) co_return;
  const OwnerToken owner = me.tokens().fresh();
  for (;;) {
    co_await me.loop_head(key.text() == "one" ? 1 : 2);
    const Result<bool> taken = co_await me.store().set_if_absent(key, "held");
    if (taken && *taken) co_return;
    const TimePoint until = TimePoint::max();
    static_cast<void>(co_await me.store().await_message(*ear, until));
  }
}
Task<void> gives_back(Client& me, Key key) {
  static_cast<void>(co_await me.store().erase(key));
  const Channel bell = release_channel(key);
  const std::string text = "free";
  static_cast<void>(co_await me.store().publish(bell, text));
}
Task<void> takes_both(Client& me, Key first, Key second) {
  co_await takes(me, first);
  co_await takes(me, second);
  me.enter("both");
  co_await me.leave("both");
  co_await gives_back(me, second);
  co_await gives_back(me, first);
}

Scenario two_locks(bool in_one_order) {
  const Key one("one");
  const Key two("two");
  Scenario scenario("two locks");
  scenario.client([=](Client& me) { return takes_both(me, one, two); })
      .client([=](Client& me) {
        return in_one_order ? takes_both(me, one, two) : takes_both(me, two, one);
      })
      .require(mutual_exclusion("both"));
  return scenario;
}

TEST(Deadlock, OfTwoLocksInTwoOrdersIsFoundWithoutAskingForLiveness) {
  EXPECT_EQ(explore(two_locks(true)).outcome, Outcome::proved)
      << describe(explore(two_locks(true)));
  const Verdict verdict = explore(two_locks(false));
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.property, "no deadlock");
  const std::string drawn = draw_text(verdict.run, &verdict);
  EXPECT_THAT(drawn, HasSubstr("A and B wait for ever"));
  EXPECT_THAT(drawn, HasSubstr("A is at 'wait for a message'"));
}

Task<void> takes_and_gives_back(Client& me) {
  const Key key("one");
  co_await takes(me, key);
  me.enter(lock);
  co_await me.leave(lock);
  co_await gives_back(me, key);
}

TEST(Deadlock, IsFoundWithTheFaultThatItNeeds) {
  Scenario scenario("one lock");
  scenario.clients(2, takes_and_gives_back).require(mutual_exclusion(lock));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved) << describe(explore(scenario));
  for (const Fault fault : {Fault::lost_message, Fault::crash}) {
    const Verdict verdict = explore(scenario.faults(FaultBudget().allow(fault)));
    ASSERT_EQ(verdict.outcome, Outcome::violated) << to_string(fault);
    EXPECT_EQ(verdict.property, "no deadlock");
    EXPECT_EQ(verdict.run.faults(), 1U);
  }
}

TEST(Deadlock, IsNotACrashedClientThatWaited) {
  Scenario scenario("crashes");
  scenario.clients(2, visits)
      .require(mutual_exclusion(lock))
      .faults(FaultBudget().allow(Fault::crash, 2));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
}

// --- the order of findings -----------------------------------------------------------------------

Task<void> listens_to_nobody(Client& me) {
  return listens(me, TimePoint::max());
}
// Breaks something with its n-th step.
Task<void> breaks_after(Client& me, int steps) {
  for (int left = steps; left > 0; --left) static_cast<void>(co_await me.store().get(Key("k")));
  me.reach("broken", steps > 0);
}

TEST(Deadlock, IsReportedIfNoOtherViolationIsNearer) {
  const auto found = [](int steps) {
    Scenario scenario("which");
    scenario.client([steps](Client& me) { return breaks_after(me, steps); })
        .client(listens_to_nobody)
        .require(never("broken"));
    return explore(scenario);
  };
  const Verdict other = found(2);
  EXPECT_EQ(other.property, "never broken");
  EXPECT_EQ(other.run.steps.size(), 2U);
}

// Two ways are equally long. One ends in a deadlock, and a step beyond the other breaks a property:
// the deadlock is one step nearer, wherever it stands in its level.
Task<void> one_way_or_the_other(Client& me, bool deadlock_first) {
  const bool first = me.choose(2) == 0;
  static_cast<void>(co_await me.store().get(Key("k")));
  if (first == deadlock_first) {
    co_await listens_to_nobody(me);
    co_return;
  }
  static_cast<void>(co_await me.store().get(Key("k")));
  static_cast<void>(co_await me.store().get(Key("k")));
  me.reach("broken");
}

TEST(Deadlock, IsAStepNearerThanAStepThatComesFromItsLevel) {
  for (const bool deadlock_first : {true, false}) {
    Scenario scenario("nearer");
    scenario.client([=](Client& me) { return one_way_or_the_other(me, deadlock_first); })
        .require(never("broken"));
    expect_deadlock(scenario, 2);
    Limits limits;
    limits.count_violations = true;
    const Verdict counted = explore(scenario, limits);
    EXPECT_EQ(counted.property, "no deadlock");
    EXPECT_EQ(counted.run.steps.size(), 2U);
    EXPECT_EQ(counted.violations, 2U);
  }
}

TEST(Deadlock, IsTheSameWithThreads) {
  testing::expect_the_same_with_threads(two_locks(false), Limits());
  Limits limits;
  limits.count_violations = true;
  testing::expect_the_same_with_threads(two_locks(false), limits);
}

// --- wherever runs are taken ---------------------------------------------------------------------

TEST(Deadlock, IsFoundByChanceAndReplayed) {
  const Scenario scenario = two_locks(false);
  RandomSearch how;
  const Verdict met = search_at_random(scenario, how).verdict;
  ASSERT_EQ(met.outcome, Outcome::violated);
  EXPECT_EQ(met.property, "no deadlock");
  const Result<sim::Run> again = replay(scenario, make_schedule(met.run));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(again->steps.back().violates, "no deadlock");
}

TEST(Deadlock, CanBeAllThatIsAskedFor) {
  Scenario scenario = two_locks(false);
  ASSERT_TRUE(scenario.require_only({PropertyKind::deadlock}));
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
}

}  // namespace
}  // namespace interlock::sim
