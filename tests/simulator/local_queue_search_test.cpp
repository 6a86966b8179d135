// Threads that share what the store grants to their process, with core's own code, in every
// interleaving within the bounds.
#include <gtest/gtest.h>

#include <cstdio>

#include "interlock/sim/catalogue/local_queue.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/property.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim {
namespace {

using catalogue::begun_with_kept;
using catalogue::handed_over;
using catalogue::lease_lock_name;
using catalogue::local_queue_process;
using catalogue::local_queue_scenario;
using catalogue::LocalQueueOptions;
using catalogue::LocalQueueThread;
using catalogue::recalled;
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

LocalQueueThread that_keeps(int sections) {
  LocalQueueThread thread;
  thread.keeps = true;
  thread.sections = sections;
  return thread;
}

LocalQueueOptions with_threads(std::vector<LocalQueueThread> threads, std::int64_t sections) {
  LocalQueueOptions options;
  options.threads = std::move(threads);
  options.policy.sections = sections;
  return options;
}

// A stranger has one thread, which keeps nothing.
Scenario beside_a_stranger(const LocalQueueOptions& options, std::size_t instants) {
  Scenario scenario = local_queue_scenario(1, options, instants);
  scenario.client(local_queue_process(with_threads({LocalQueueThread()}, 2)));
  return scenario.sometimes(begun_with_kept).sometimes(recalled);
}

TEST(LocalQueueSearch, AThreadThatKeepsItsGrantIsProvedBesideAnotherProcess) {
  expect_proved(beside_a_stranger(with_threads({that_keeps(3)}, 3), 3));
}

TEST(LocalQueueSearch, TwoThreadsThatKeepTheirGrantTogetherAreProvedBesideAnotherProcess) {
  expect_proved(beside_a_stranger(with_threads({that_keeps(2), that_keeps(1)}, 3), 2));
}

TEST(LocalQueueSearch, EachLeaseThatIsKeptIsTrue) {
  LocalQueueThread keeps = that_keeps(2);
  keeps.ttl = Ttl(seconds{8});
  keeps.rests = seconds{1};
  LocalQueueOptions options = with_threads({keeps}, 3);
  options.looks = true;
  expect_proved(beside_a_stranger(options, 3));
}

// One that comes while the grant is kept has its next section.
TEST(LocalQueueSearch, AThreadThatKeepsItsGrantAndOneThatComesLaterAreProvedBesideAnotherProcess) {
  LocalQueueThread keeps = that_keeps(1);
  LocalQueueThread later;
  keeps.ttl = later.ttl = Ttl(seconds{8});
  later.comes_after = seconds{1};
  LocalQueueOptions options = with_threads({keeps, later}, 3);
  options.tells = true;
  Scenario scenario = local_queue_scenario(1, options, 3);
  scenario.client(local_queue_process(with_threads({LocalQueueThread()}, 2)));
  expect_proved(scenario.sometimes(handed_over).sometimes(recalled));
}

TEST(LocalQueueSearch, TwoProcessesThatKeepTheirGrantsAreProved) {
  Scenario scenario = local_queue_scenario(2, with_threads({that_keeps(2)}, 3), 3);
  expect_proved(scenario.sometimes(begun_with_kept).sometimes(recalled));
}

// With this lease a grant is kept for more than a second, if nobody recalls it.
TEST(LocalQueueSearch, ARecallLetsAnotherProcessInBeforeTheTimeOfTheGrantIsOver) {
  for (const bool is_recalled : {true, false}) {
    LocalQueueThread keeps = that_keeps(2);
    LocalQueueThread stranger;
    keeps.ttl = stranger.ttl = Ttl(seconds{8});
    LocalQueueOptions options = with_threads({keeps}, 3);
    options.is_recalled = is_recalled;
    Scenario scenario = local_queue_scenario(1, options, 4);
    scenario.client(local_queue_process(with_threads({stranger}, 2))).sometimes(begun_with_kept);
    if (is_recalled) scenario.sometimes(recalled);
    scenario.faults(FaultBudget().pauses(0)).late_arrivals_are_pauses();
    scenario.require(always("the stranger is served within a second", [](const Snapshot& now) {
      return now.time < seconds{1} || now.clients.back().status == ClientView::Status::done;
    }));
    const Verdict verdict = explore(scenario);
    const Outcome expected = is_recalled ? Outcome::proved : Outcome::violated;
    EXPECT_EQ(verdict.outcome, expected) << describe(verdict) << describe(verdict.run);
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

TEST(LocalQueueSearch, AloneAGrantThatIsKeptLeavesNobodyWaitingAndNothingBehind) {
  LocalQueueThread keeps = that_keeps(4);
  LocalQueueThread plain;
  keeps.ttl = plain.ttl = Ttl(seconds{5});
  LocalQueueThread later = plain;
  later.comes_after = milliseconds{200};
  for (const LocalQueueThread& other : {plain, keeps, later}) {
    LocalQueueOptions options = with_threads({keeps, other}, 3);
    options.alone = true;
    options.is_recalled = false;
    Scenario scenario = local_queue_scenario(1, options, 5);
    scenario.sometimes(begun_with_kept);
    expect_proved(scenario.faults(FaultBudget().pauses(0)));
  }
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
