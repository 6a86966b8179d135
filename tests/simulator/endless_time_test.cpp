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

TEST(EndlessTime, AWaitLongerThanTheLongestIsSaid) {
  Scenario scenario = polling(2);
  scenario.time_without_end(milliseconds{500});
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("differences up to the longest"));
}

}  // namespace
}  // namespace interlock::sim
