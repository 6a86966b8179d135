// Time without end: clients that retry for ever have finitely many states, the answers are those of
// bounded time, and programs that need to know what time it is are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const Key key("lock");

// SET NX PX, or ask again a second later.
class Poll {
 public:
  Poll() = default;
  bool for_ever = false;
  std::optional<milliseconds> ttl = seconds{2};
};

Task<void> poll(Client& me, Poll how) {
  const OwnerToken token = me.tokens().fresh();
  do {
    me.wants("lock");
    for (;;) {
      co_await me.loop_head(0);
      const Result<bool> taken = co_await me.store().set_if_absent(key, token.text(), how.ttl);
      if (taken && *taken) break;
      co_await me.loop_head(1);
      co_await me.time().sleep_until(me.time().now() + seconds{1});
    }
    me.enter("lock");
    co_await me.leave("lock");
    co_await me.loop_head(2);
    static_cast<void>(co_await me.store().erase(key));
  } while (how.for_ever);
}

Scenario polling(std::size_t clients, Poll how = {}) {
  Scenario scenario("polling");
  scenario.clients(clients, [how](Client& me) { return poll(me, how); })
      .time_without_end(seconds{3})
      .require(every_waiter_acquires("lock"));
  return scenario;
}

TEST(EndlessTime, WhoPollsOnceAcquiresAtLast) {
  const Verdict verdict = explore(polling(3));
  EXPECT_PROVED(verdict);
  EXPECT_THAT(verdict.bounds, HasSubstr("time without end"));
}

TEST(EndlessTime, EvenIfAHolderCrashesBecauseKeysExpire) {
  Scenario scenario = polling(2);
  scenario.faults(FaultBudget().allow(Fault::crash));
  EXPECT_PROVED(explore(scenario));

  Poll without_expiry;
  without_expiry.ttl = std::nullopt;
  Scenario broken = polling(2, without_expiry);
  broken.faults(FaultBudget().allow(Fault::crash));
  const Verdict verdict = explore(broken);
  EXPECT_VIOLATED(verdict, "");
  EXPECT_EQ(verdict.run.faults(), 1U);
  ASSERT_TRUE(verdict.run.loop.has_value());
  // Time passes in the loop, and in the drawing.
  const Duration begins = verdict.run.steps[*verdict.run.loop - 1].after.time;
  EXPECT_GT(verdict.run.steps.back().after.time, begins);
}

TEST(EndlessTime, ThoseWhoComeBackForEverStarveAnother) {
  Poll for_ever;
  for_ever.for_ever = true;
  const Scenario scenario = polling(2, for_ever);
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  const Result<sim::Run> again = replay(scenario, make_schedule(verdict.run));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(again->loop, verdict.run.loop);
}

TEST(EndlessTime, FindsTheSameViolationsAsBoundedTime) {
  // A lease ends while its holder is inside.
  Scenario endless = polling(2);
  endless.require(mutual_exclusion("lock"));
  const Verdict without_end = explore(endless);
  Scenario bounded("polling");
  bounded.clients(2, [](Client& me) { return poll(me, Poll()); })
      .instants(8)
      .require(mutual_exclusion("lock"));
  const Verdict with_end = explore(bounded);
  ASSERT_EQ(with_end.outcome, Outcome::violated);
  ASSERT_EQ(without_end.outcome, Outcome::violated);
  EXPECT_EQ(without_end.run.steps.size(), with_end.run.steps.size());
}

TEST(EndlessTime, AStampLockNeedsToKnowTheTime) {
  Scenario scenario =
      catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 2, 3).time_without_end();
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("time has no end, and client A needs more of its clock"));
  EXPECT_THAT(verdict.reason, HasSubstr("SETNX lock.foo"));
}

// --- what is longer than the longest -------------------------------------------------------------

// The client does not look at its own lease: when that ends, the other clients get in.
Task<void> holds(Client& me, std::optional<milliseconds> ttl, Duration sleeps) {
  const OwnerToken token = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(key, token.text(), ttl);
  if (!taken || !*taken) co_return;
  me.enter("lock");
  if (sleeps > Duration::zero()) co_await me.time().sleep_until(me.time().now() + sleeps);
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().erase(key));
}

Scenario holding(std::optional<milliseconds> ttl, Duration sleeps = Duration{0}) {
  Scenario scenario("holding");
  scenario.clients(2, [=](Client& me) { return holds(me, ttl, sleeps); })
      .instants(2)
      .time_without_end()
      .require(mutual_exclusion("lock"));
  return scenario;
}

TEST(EndlessTime, ALeaseIsAsLongAsItIsIfNothingIsSaid) {
  for (const int ttl : {2, 5, 10, 30}) {
    const Scenario scenario = holding(seconds{ttl});
    const Verdict verdict = explore(scenario);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << ttl << " s: " << describe(verdict);
    EXPECT_THAT(verdict.bounds, HasSubstr("nothing longer than " + std::to_string(ttl) + "000 ms"));
    const Result<sim::Run> again = replay(scenario, make_schedule(verdict.run));
    ASSERT_TRUE(again) << again.error().detail();
    EXPECT_EQ(describe(*again), describe(verdict.run));
  }
  EXPECT_EQ(explore(holding(std::nullopt)).outcome, Outcome::proved);
}

TEST(EndlessTime, ASleepIsAsLongAsItIsIfNothingIsSaid) {
  const Verdict verdict = explore(holding(seconds{8}, seconds{9}));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  const Verdict without_expiry = explore(holding(std::nullopt, seconds{9}));
  EXPECT_EQ(without_expiry.outcome, Outcome::proved) << describe(without_expiry);
  EXPECT_THAT(without_expiry.bounds, HasSubstr("nothing longer than 9000 ms"));
}

void expect_too_long(const Scenario& scenario, const std::string& what) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr(what));
}

TEST(EndlessTime, WhatIsLongerThanTheLongestIsNamed) {
  Scenario lease = holding(seconds{10});
  expect_too_long(lease.time_without_end(seconds{5}),
                  "SETNX lock il1:A1 PX 10000 lasts 10000 ms, longer than the longest, 5000 ms");
  Scenario sleep = holding(seconds{2}, seconds{7});
  expect_too_long(sleep.time_without_end(seconds{5}), "client A's sleep lasts 7000 ms");
  Scenario initial = holding(seconds{2});
  initial.initially(Key("old"), Entry("1", seconds{9}));
  expect_too_long(initial.time_without_end(seconds{5}), "the initial key old lasts 9000 ms");
  EXPECT_EQ(explore(initial.time_without_end()).outcome, Outcome::violated);
}

TEST(EndlessTime, WhatIsLongerThanAHundredInstantsIsNamed) {
  expect_too_long(
      holding(seconds{101}),
      "lasts 101000 ms, more than the 100 instants, 100000 ms, that such a search tells apart");
  expect_too_long(holding(seconds{2}, seconds{500}), "client A's sleep lasts 500000 ms");
  Scenario farther_apart = holding(seconds{101});
  EXPECT_EQ(explore(farther_apart.instants(2, seconds{50})).outcome, Outcome::violated);
}

TEST(EndlessTime, KeysThatLiveLongMayStay) {
  Scenario scenario = holding(seconds{101});
  const Verdict verdict = explore(scenario.long_lived_keys_stay());
  EXPECT_EQ(verdict.outcome, Outcome::proved);
  EXPECT_THAT(verdict.bounds, HasSubstr("keys of more than 100 instants stay"));
  // Others do not.
  Scenario short_lived = holding(seconds{99});
  EXPECT_EQ(explore(short_lived.long_lived_keys_stay()).outcome, Outcome::violated);
}

Task<void> looks_at_the_second(Client& me, int second, int of) {
  static_cast<void>(co_await me.store().get(key));
  if (me.time().now().time_since_epoch() / seconds{1} % of == second) me.reach("bad");
}

TEST(EndlessTime, ATimeThatComesRoundIsFoundOutHoweverLongItTakes) {
  for (const int of : {2, 7, 60, 100}) {
    for (int second = 0; second < of; ++second) {
      Scenario scenario("round");
      scenario.client([=](Client& me) { return looks_at_the_second(me, second, of); })
          .instants(2)
          .time_without_end()
          .require(never("bad"));
      const Verdict verdict = explore(scenario);
      EXPECT_EQ(verdict.outcome, Outcome::incomplete) << second << " of " << of;
      EXPECT_THAT(verdict.reason,
                  HasSubstr("time has no end, and client A needs more of its clock"));
    }
  }
}

}  // namespace
}  // namespace interlock::sim
