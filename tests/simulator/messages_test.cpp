// What becomes of a subscription when its connection breaks, and what its client is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "single_faults.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* message = "a message was heard";
constexpr const char* nothing = "the wait ended with nothing";
constexpr const char* lost = "the wait ended with an error";
constexpr const char* refused = "a wait on a subscription that has ended is refused";
constexpr const char* heard_again = "a message was heard on a new subscription";

// Waits once, and on a new subscription if that one has ended.
Task<void> listen(Client& me) {
  const Channel channel("c");
  const Result<SubscriptionId> subscribed = co_await me.store().subscribe(channel);
  if (!subscribed) co_return;
  const TimePoint until = me.time().now() + seconds{1};
  const Result<bool> heard = co_await me.store().await_message(*subscribed, until);
  if (heard) {
    me.reach(*heard ? message : nothing);
    co_return;
  }
  me.reach(lost);
  const Result<bool> again = co_await me.store().await_message(*subscribed, until);
  if (!again && again.error().code() == Errc::rejected) me.reach(refused);
  const Result<SubscriptionId> anew = co_await me.store().subscribe(channel);
  if (!anew) co_return;
  const Result<bool> at_last = co_await me.store().await_message(*anew, until);
  if (at_last && *at_last) me.reach(heard_again);
}

Task<void> speak(Client& me) {
  const Channel channel("c");
  static_cast<void>(co_await me.store().publish(channel, "hello"));
}

Scenario listening(const FaultBudget& faults) {
  Scenario scenario("listening");
  return scenario.client(listen).instants(2).faults(faults);
}

// Whether some run reaches it.
bool possible(Scenario scenario, const char* goal) {
  for (const char* other : {message, nothing, lost, refused, heard_again}) {
    if (std::string(other) != goal) scenario.sometimes(other);
  }
  const Verdict verdict = explore(scenario.require(never(goal)));
  return verdict.outcome == Outcome::violated;
}

TEST(Messages, WithoutAFaultTheWaitEndsWithNothing) {
  EXPECT_TRUE(possible(listening(FaultBudget()), nothing));
  EXPECT_FALSE(possible(listening(FaultBudget()), message));
  EXPECT_FALSE(possible(listening(FaultBudget()), lost));
}

class WhenConnectionsBreak : public ::testing::TestWithParam<Fault> {};

// As stores do: one that connects again by itself takes that for a message, because one may have
// been lost; one that cannot gives the wait up, and the subscription with it.
TEST_P(WhenConnectionsBreak, TheWaitEndsWithAMessageOrWithItsSubscription) {
  const FaultBudget faults = FaultBudget().allow(GetParam());
  EXPECT_TRUE(possible(listening(faults), message));
  EXPECT_TRUE(possible(listening(faults), lost));
}

TEST_P(WhenConnectionsBreak, NothingIsHeardOnASubscriptionThatHasEnded) {
  const FaultBudget faults = FaultBudget().allow(GetParam());
  EXPECT_TRUE(possible(listening(faults), refused));
  EXPECT_FALSE(possible(listening(faults), heard_again)) << "nobody published anything";
  EXPECT_TRUE(possible(listening(faults).client(speak), heard_again));
}

INSTANTIATE_TEST_SUITE_P(Messages,
                         WhenConnectionsBreak,
                         ::testing::Values(Fault::restart, Fault::restart_empty, Fault::failover),
                         name_of);

class WhenOneConnectionBreaks : public ::testing::TestWithParam<Fault> {};

TEST_P(WhenOneConnectionBreaks, TheWaitEndsWithItsSubscription) {
  const FaultBudget faults = FaultBudget().allow(GetParam());
  EXPECT_FALSE(possible(listening(faults), message));
  EXPECT_TRUE(possible(listening(faults), lost));
  EXPECT_TRUE(possible(listening(faults), refused));
}

INSTANTIATE_TEST_SUITE_P(Messages,
                         WhenOneConnectionBreaks,
                         ::testing::Values(Fault::unreachable,
                                           Fault::lost_request,
                                           Fault::rejected),
                         name_of);

// The run that shows it can be read, kept and replayed.
class InARun : public ::testing::TestWithParam<Fault> {};

TEST_P(InARun, TheEndOfASubscriptionIsShownAndReplayed) {
  Scenario scenario = listening(FaultBudget().allow(GetParam()));
  for (const char* goal : {message, nothing, lost, heard_again}) scenario.sometimes(goal);
  scenario.require(never(refused));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_THAT(describe(verdict.run), HasSubstr("wait for a message -> unavailable"));

  const std::string text = print(make_schedule(verdict.run, {}));
  EXPECT_THAT(text, HasSubstr("A "));
  const auto parsed = parse_schedule(text);
  ASSERT_TRUE(parsed.has_value()) << text;
  const auto again = replay(scenario, *parsed);
  ASSERT_TRUE(again.has_value()) << again.error().detail() << text;
  EXPECT_EQ(print_short(*again, {}), print_short(verdict.run, {}));

  const auto short_form = parse_short(print_short(verdict.run, {}));
  ASSERT_TRUE(short_form.has_value());
  const auto replayed = replay(scenario, *short_form);
  ASSERT_TRUE(replayed.has_value()) << replayed.error().detail() << print_short(verdict.run, {});
  EXPECT_EQ(describe(*replayed), describe(verdict.run));
}

INSTANTIATE_TEST_SUITE_P(Messages,
                         InARun,
                         ::testing::Values(Fault::restart, Fault::unreachable),
                         name_of);

}  // namespace
}  // namespace interlock::sim
