// The catalogue at random: what was proved within bounds is walked through beyond them, and what is
// broken is found again by chance and shrunk to the run that the catalogue shows.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/generators.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim {
namespace {

using catalogue::Bounds;
using catalogue::CatalogueEntry;
using catalogue::entries;
using catalogue::find;

// More clients and more tries than the proofs have; the faults are each scenario's own.
Bounds some_size(const CatalogueEntry& entry) {
  Bounds bounds;
  if (entry.has_clients) bounds.clients = *rc::gen::inRange<std::size_t>(2, 6);
  if (entry.has_attempts) bounds.attempts = *rc::gen::inRange<std::size_t>(1, 5);
  return bounds;
}

std::vector<const CatalogueEntry*> proved_ones() {
  std::vector<const CatalogueEntry*> proved;
  for (const CatalogueEntry& entry : entries()) {
    if (entry.expected.outcome == Outcome::proved) proved.push_back(&entry);
  }
  return proved;
}

RC_GTEST_PROP(CatalogueProperty, WhatIsProvedHoldsInRandomRunsOfLargerWorlds, ()) {
  static const std::vector<const CatalogueEntry*> all = proved_ones();
  const CatalogueEntry& entry = **rc::gen::elementOf(all);
  Scenario scenario = entry.make(some_size(entry));
  scenario.named(std::string(entry.name));
  const auto picks = *gen::schedule();
  const Run run = run_of_choices(scenario, picks);
  RC_LOG() << testing::shown(run);
  RC_ASSERT(run.empty() || run.steps.back().violates.empty());
}

// The production locks take any two faults of any kinds.
RC_GTEST_PROP(CatalogueProperty, TheProductionLocksHoldUnderAnyTwoFaults, ()) {
  static const std::vector<std::string_view> locks{"lease-lock", "lease-lock-renewed",
                                                   "queue-lock"};
  const CatalogueEntry& entry = *find(*rc::gen::elementOf(locks));
  Scenario scenario = entry.make(some_size(entry));
  FaultBudget faults =
      *gen::faults(2, {Fault::crash, Fault::unreachable, Fault::lost_request, Fault::lost_reply,
                       Fault::late_execution, Fault::duplicate, Fault::rejected, Fault::restart});
  // It promises mutual exclusion, which no lock with a time limit has when clients are paused.
  if (entry.name == "queue-lock") faults.pauses(0);
  scenario.faults(faults);
  const Run run = run_of_choices(scenario, *gen::schedule(), 400);
  RC_LOG() << testing::shown(run);
  RC_ASSERT(run.empty() || run.steps.back().violates.empty());
}

// What RapidCheck has shrunk a failure to.
class Found {
 public:
  Bounds bounds;
  Run run;
};

std::optional<Found> by_chance(const CatalogueEntry& entry) {
  std::optional<Found> last;
  const auto property = [&] {
    const Bounds bounds = some_size(entry);
    const Run run = run_of_choices(entry.make(bounds), *gen::schedule());
    const bool broken = !run.empty() && !run.steps.back().violates.empty();
    if (broken) last = Found{bounds, run};
    RC_ASSERT(!broken);
  };
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 20'000;
  rc::detail::TestMetadata metadata;
  const auto result = rc::detail::checkTestable(property, metadata, params);
  return result.template is<rc::detail::FailureResult>() ? last : std::nullopt;
}

class SourceLock : public ::testing::TestWithParam<const char*> {};

TEST_P(SourceLock, IsBrokenByChanceAndShrinksToTheRecordedRun) {
  const CatalogueEntry& entry = *find(GetParam());
  const std::optional<Found> found = by_chance(entry);
  ASSERT_TRUE(found) << "no random run breaks " << entry.name;
  EXPECT_EQ(found->run.steps.back().violates, entry.expected.property);
  EXPECT_GE(found->run.steps.size(), entry.expected.steps);
  // What is left to shrink is which steps: the search looks for the shortest in the same world.
  const Verdict shortest = explore(entry.make(found->bounds));
  ASSERT_EQ(shortest.outcome, Outcome::violated);
  EXPECT_EQ(shortest.run.faults(), entry.expected.faults);
  if (found->bounds.clients.value_or(2) == 2 && found->bounds.attempts.value_or(1) == 1) {
    EXPECT_EQ(shortest.run.steps.size(), entry.expected.steps);
  } else {
    EXPECT_LE(shortest.run.steps.size(), found->run.steps.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Flaws,
                         SourceLock,
                         ::testing::Values("getset-loser-c3c4",
                                           "del-setnx-lock",
                                           "stamp-equal-lock",
                                           "setnx-expire-lock",
                                           "bill-lock",
                                           "bill-lock-batch",
                                           "script-lock",
                                           "compare-script-lock"),
                         [](const auto& lock) {
                           std::string name = lock.param;
                           for (char& letter : name) {
                             if (letter == '-') letter = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace interlock::sim
