// Properties that are vacuous within the bounds.
#include "interlock/sim/catalogue/left_out.hpp"

#include <gtest/gtest.h>

namespace interlock::sim::catalogue {
namespace {

Searched searched(std::string_view name, const ScheduleOptions& options) {
  auto scenario = build(name, options);
  EXPECT_TRUE(scenario) << scenario.error().detail();
  return search_what_can_happen(*find(name), options, *scenario,
                                [](const Scenario& in) { return explore(in); });
}

TEST(LeftOut, WhatIsVacuousIsLeftOutAndTheRestIsProved) {
  const Searched alone = searched("lease-lock", {{"clients", "1"}});
  EXPECT_EQ(alone.verdict.outcome, Outcome::proved) << alone.verdict.reason;
  ASSERT_FALSE(alone.left_out.empty());
  EXPECT_EQ(alone.left_out.front().property, "fenced-writes");
}

TEST(LeftOut, NothingIsLeftOutOfWhatWasAskedForByName) {
  // Also if something else would be left.
  for (const char* named : {"lease-exclusion", "lease-exclusion,fencing-grows"}) {
    const Searched found = searched("lease-lock", {{"clients", "1"}, {"property", named}});
    EXPECT_EQ(found.verdict.outcome, Outcome::invalid) << named;
    EXPECT_TRUE(found.left_out.empty()) << named;
  }
}

TEST(LeftOut, TheLastOneBesidesDeadlockIsNot) {
  const Searched alone = searched("stamp-lock", {{"clients", "1"}});
  EXPECT_EQ(alone.verdict.outcome, Outcome::invalid);
  EXPECT_TRUE(alone.left_out.empty());
}

TEST(LeftOut, WithNothingVacuousThereIsOneSearch) {
  const Searched both = searched("stamp-lock", {});
  EXPECT_EQ(both.verdict.outcome, Outcome::proved);
  EXPECT_TRUE(both.left_out.empty());
}

}  // namespace
}  // namespace interlock::sim::catalogue
