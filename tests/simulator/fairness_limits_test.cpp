// What a chosen fairness comes to where a search does not see everything: time ends, or no state is
// looked at again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "interlock/sim/bitstate_search.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "liveness_programs.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

Task<void> enters_if_early(Client& me) {
  me.wants("lock");
  static_cast<void>(co_await me.store().get(lock_key));
  if (me.time().now().time_since_epoch() >= std::chrono::seconds{5}) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

// It may stop, and must enter while it can. Later than the end of time it could not.
TEST(ChosenFairness, OfStepsThatTheClockDecidesIsUndecidedWhereTimeEnds) {
  Scenario scenario("early");
  scenario.client(enters_if_early).instants(2).require(every_waiter_acquires("lock"));
  scenario.fairness(Fairness::none, steps_of(0));
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
  const Verdict verdict = explore(scenario.fairness(Fairness::weak, entering("lock", 0)));
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("time ends while A waits for lock"));
}

Scenario spinning_under_strong_fairness() {
  Scenario scenario("spinning");
  scenario.clients(2, spins_for_ever).allow_deadlock().require(every_waiter_acquires("lock"));
  return scenario.fairness(Fairness::strong, entering("lock", 0))
      .fairness(Fairness::none, steps_of(1));
}

TEST(ChosenFairness, IsOfNoUseToRandomRuns) {
  Scenario scenario = spinning_under_strong_fairness();
  RandomSearch how;
  how.runs = 10;
  EXPECT_EQ(search_at_random(scenario, how).verdict.outcome, Outcome::invalid);
  const RandomVerdict found = search_at_random(scenario.require(mutual_exclusion("lock")), how);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(found.verdict.reason, HasSubstr("none shows whether somebody waits for ever"));
}

TEST(ChosenFairness, IsOfNoUseToASearchThatKeepsNoStates) {
  Scenario scenario = spinning_under_strong_fairness();
  BitstateSearch how;
  how.memory = 1 << 20;
  const Verdict alone = search_bitstate(scenario, how).verdict;
  EXPECT_EQ(alone.outcome, Outcome::invalid);
  EXPECT_THAT(alone.reason, HasSubstr("does not show whether somebody waits for ever"));
  const Verdict verdict = search_bitstate(scenario.require(mutual_exclusion("lock")), how).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("whether somebody waits for ever is not known"));
}

}  // namespace
}  // namespace interlock::sim
