#include <gtest/gtest.h>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;

TEST(StampLockSearch, DelThenSetnxIsViolatedAfterEightSteps) {
  const Verdict verdict = explore(stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 8U) << describe(verdict.run);
}

TEST(StampLockSearch, GivesTheSameVerdictWithAndWithoutSymmetry) {
  for (std::size_t clients = 2; clients <= 3; ++clients) {
    Scenario scenario = stamp_lock_scenario(TakeOver::getset, clients, 2, 3);
    const Verdict symmetric = explore(scenario);
    const Verdict plain = explore(scenario.symmetry(false));
    EXPECT_EQ(symmetric.outcome, plain.outcome);
    EXPECT_EQ(symmetric.depth, plain.depth);
    EXPECT_LT(symmetric.states, plain.states);
  }
}

}  // namespace
}  // namespace interlock::sim
