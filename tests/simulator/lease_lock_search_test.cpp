// The production lock, unchanged, in every interleaving within the bounds.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::lease_lock_scenario;
using catalogue::LeaseClientOptions;

LeaseClientOptions one_try() {
  LeaseClientOptions options;
  options.wait = Duration{0};
  return options;
}

TEST(LeaseLockSearch, OneTryIsProvedForTwoClients) {
  const Verdict verdict = explore(lease_lock_scenario(2, one_try(), 5));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(LeaseLockSearch, WaitingIsProvedForTwoClients) {
  const Verdict verdict = explore(lease_lock_scenario(2, LeaseClientOptions(), 5));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(LeaseLockSearch, WaitingWithRenewalIsProvedForTwoClients) {
  LeaseClientOptions options;
  options.renews = true;
  const Verdict verdict = explore(lease_lock_scenario(2, options, 5));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(LeaseLockSearch, PlainMutualExclusionIsViolatedByALongPause) {
  Scenario scenario = lease_lock_scenario(2, one_try(), 6);
  scenario.require(mutual_exclusion(lease_lock_name));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 6U) << describe(verdict.run);
}

}  // namespace
}  // namespace interlock::sim
