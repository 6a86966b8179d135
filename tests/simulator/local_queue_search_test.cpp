// Threads that share what the store grants to their process, with core's own code, in every
// interleaving within the bounds.
#include <gtest/gtest.h>

#include <cstdio>

#include "interlock/sim/catalogue/local_queue.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::handed_over;
using catalogue::lease_lock_name;
using catalogue::local_queue_process;
using catalogue::local_queue_scenario;
using catalogue::LocalQueueOptions;
using std::chrono::seconds;

LocalQueueOptions telling() {
  LocalQueueOptions options;
  options.tells = true;
  return options;
}

void expect_proved(const Scenario& scenario) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  std::printf("%s", describe(verdict).c_str());
}

TEST(LocalQueueSearch, TwoThreadsOfEachOfTwoProcessesAreProved) {
  Scenario scenario = local_queue_scenario(2, telling(), 4);
  expect_proved(scenario.sometimes(handed_over));
}

TEST(LocalQueueSearch, EachLeaseThatIsHandedOverIsTrue) {
  LocalQueueOptions options = telling();
  options.looks = true;
  Scenario scenario = local_queue_scenario(2, options, 3);
  expect_proved(scenario.sometimes(handed_over));
}

TEST(LocalQueueSearch, ThreeThreadsAndAStrangerAreProved) {
  // With two sections the third thread queues while the second one's goes on.
  for (const std::int64_t sections : {2, 3}) {
    LocalQueueOptions options = telling();
    options.threads.resize(3);
    options.policy.sections = sections;
    LocalQueueOptions stranger = telling();
    stranger.threads.resize(1);
    stranger.policy.sections = 1;
    Scenario scenario = local_queue_scenario(1, options, 3);
    expect_proved(scenario.client(local_queue_process(stranger)).sometimes(handed_over));
  }
}

// Time passes only while nobody could move: then a lease excludes.
TEST(LocalQueueSearch, WithoutPausesAllSectionsOfAllProcessesExcludeEachOther) {
  Scenario scenario = local_queue_scenario(2, telling(), 4);
  scenario.require(mutual_exclusion(lease_lock_name)).faults(FaultBudget().pauses(0));
  expect_proved(scenario.sometimes(handed_over));
}

TEST(LocalQueueSearch, AloneNobodyWaitsForNothingAndNothingIsLeftBehind) {
  LocalQueueOptions options = telling();
  options.alone = true;
  options.threads.resize(3);
  options.threads[1].sections = 2;
  Scenario scenario = local_queue_scenario(1, options, 5);
  expect_proved(scenario.faults(FaultBudget().pauses(0)).sometimes(handed_over));
}

TEST(LocalQueueSearch, WhoGivesUpLeavesTheOthersTheirTurn) {
  LocalQueueOptions options;
  options.alone = true;
  options.threads.resize(3);
  options.threads[0].ttl = options.threads[2].ttl = Ttl(seconds{5});
  options.threads[1].ttl = Ttl(seconds{5});
  options.threads[0].stays = milliseconds{1500};
  options.threads[1].wait = milliseconds{500};
  Scenario scenario = local_queue_scenario(1, options, 5);
  expect_proved(scenario.faults(FaultBudget().pauses(0)));
}

}  // namespace
}  // namespace interlock::sim
