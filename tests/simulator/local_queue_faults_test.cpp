// Threads that share what the store grants to their process, with each single fault.
// `INTERLOCK_SLOW` asks for the bounds that take minutes.
#include <gtest/gtest.h>

#include "all_are_served.hpp"
#include "interlock/sim/catalogue/local_queue.hpp"
#include "interlock/sim/explore.hpp"
#include "single_faults.hpp"
#include "under_sanitizers.hpp"

namespace interlock::sim {
namespace {

using catalogue::begun_with_kept;
using catalogue::handed_over;
using catalogue::local_queue_process;
using catalogue::local_queue_scenario;
using catalogue::LocalQueueOptions;
using catalogue::recalled;
using std::chrono::seconds;

#ifdef INTERLOCK_SLOW
constexpr std::size_t instants = 3;
constexpr std::size_t most_pauses = 1;
#else
constexpr std::size_t instants = 2;
constexpr std::size_t most_pauses = 0;
#endif

void expect_proved(const Scenario& scenario) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// A clock that is set forward ends keys early.
bool keeps_keys(Fault fault) {
  return fault != Fault::restart_empty && fault != Fault::eviction && fault != Fault::failover &&
         fault != Fault::clock_jump;
}

LocalQueueOptions telling(Fault fault) {
  LocalQueueOptions options;
  options.tells = true;
  options.store_keeps_keys = keeps_keys(fault);
  return options;
}

class LocalQueueWithOneFault : public ::testing::TestWithParam<Fault> {};

TEST_P(LocalQueueWithOneFault, TwoThreadsAndAnotherProcessAreProved) {
  for (const bool takes_offers : {false, true}) {
    if (under_sanitizers && !takes_offers) continue;
    LocalQueueOptions two = telling(GetParam());
    two.takes_offers = takes_offers;
    LocalQueueOptions one = two;
    one.threads.resize(1);
    Scenario scenario = local_queue_scenario(1, two, instants);
    scenario.client(local_queue_process(one)).faults(FaultBudget().allow(GetParam()));
    expect_proved(scenario.sometimes(handed_over));
  }
}

// A grant that is kept, a recall that is lost, a process that dies meanwhile.
TEST_P(LocalQueueWithOneFault, AThreadThatKeepsItsGrantAndAnotherProcessAreProved) {
  LocalQueueOptions one = telling(GetParam());
  one.tells = false;
  one.threads.resize(1);
  LocalQueueOptions keeper = one;
  keeper.threads[0].keeps = true;
  keeper.threads[0].sections = 2;
  keeper.policy.sections = 3;
  Scenario scenario = local_queue_scenario(1, keeper, instants);
  scenario.client(local_queue_process(one)).faults(FaultBudget().allow(GetParam()));
  expect_proved(scenario.sometimes(begun_with_kept).sometimes(recalled));
}

TEST_P(LocalQueueWithOneFault, NobodyOfTwoTimesTwoThreadsWaitsForEver) {
  const LocalQueueOptions options = telling(GetParam());
  for (std::size_t pauses = 0; pauses <= most_pauses; ++pauses) {
    const seconds limit{3 + 2 * static_cast<int>(pauses)};
    Scenario scenario = local_queue_scenario(2, options, instants_until(limit));
    scenario.faults(FaultBudget().allow(GetParam()).pauses(pauses)).late_arrivals_are_pauses();
    scenario.require(all_are_served(limit));
    expect_proved(scenario.sometimes(handed_over));
  }
}

INSTANTIATE_TEST_SUITE_P(LocalQueue, LocalQueueWithOneFault, faults_that_keep_keys(), name_of);
INSTANTIATE_TEST_SUITE_P(LocalQueueLosesKeys,
                         LocalQueueWithOneFault,
                         faults_that_lose_keys(),
                         name_of);

}  // namespace
}  // namespace interlock::sim
