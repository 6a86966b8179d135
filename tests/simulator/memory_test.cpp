// A search that would need more memory than it may have says so, with figures, and ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/thread_team.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Scenario large() {
  return catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 4, 2, 3);
}

TEST(Memory, ALimitEndsTheSearchAndIsSaidWithFigures) {
  Limits limits;
  limits.memory = std::uint64_t{4} << 20;
  const Verdict verdict = explore(large(), limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("the limit of 4 MiB of memory was reached, with "),
                                    HasSubstr(" states")));
  EXPECT_GT(verdict.states, 1'000U);
  // What it kept is about what it was allowed.
  EXPECT_LT(verdict.states * verdict.bytes_per_state, 2 * limits.memory);
  EXPECT_EQ(explore(large()).outcome, Outcome::proved);
}

TEST(Memory, TheLimitIsTheSameWithThreads) {
  Limits limits;
  limits.memory = std::uint64_t{4} << 20;
  limits.team_from = 1;
  ThreadTeam team(2);
  limits.team = &team;
  const Verdict verdict = explore(large(), limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("4 MiB of memory"));
}

TEST(Memory, TheGraphInWhichLoopsAreSearchedForCountsToo) {
  Scenario liveness = large();
  ASSERT_TRUE(liveness.require_only({PropertyKind::every_waiter_acquires}));
  Limits limits;
  limits.memory = std::uint64_t{64} << 20;
  const Verdict verdict = explore(liveness, limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("the limit of 64 MiB of memory was reached"));
}

TEST(Limit, OfStatesIsKeptToTheState) {
  for (const std::uint64_t most : {1U, 2U, 100U, 5'000U}) {
    Limits limits;
    limits.states = most;
    const Verdict alone = explore(large(), limits);
    EXPECT_EQ(alone.outcome, Outcome::incomplete);
    EXPECT_EQ(alone.states, most);
    limits.team_from = 1;
    ThreadTeam team(2);
    limits.team = &team;
    EXPECT_EQ(explore(large(), limits).states, most);
  }
}

TEST(Limit, ThatIsJustEnoughIsEnough) {
  const Scenario small = catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 1);
  Limits limits;
  limits.states = explore(small).states;
  EXPECT_EQ(explore(small, limits).outcome, Outcome::proved);
  --limits.states;
  EXPECT_EQ(explore(small, limits).outcome, Outcome::incomplete);
}

}  // namespace
}  // namespace interlock::sim
