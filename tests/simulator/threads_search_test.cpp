// A search shared among threads gives the answer of a search by one: the same verdict, figures and
// run, however many there are.
#include <gtest/gtest.h>

#include <vector>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/thread_team.hpp"
#include "with_threads.hpp"

namespace interlock::sim {
namespace {

using testing::expect_the_same_with_threads;

TEST(ThreadsSearch, GivesTheSameAnswersWhereLevelsAreLarge) {
  for (const bool symmetry : {true, false}) {
    Scenario stamps = catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 3, 2, 3);
    expect_the_same_with_threads(stamps.symmetry(symmetry), Limits());
    catalogue::LeaseClientOptions options;
    options.renews = true;
    Scenario leases = catalogue::lease_lock_scenario(2, options, 4);
    leases.faults(
        FaultBudget().allow(Fault::crash).allow(Fault::restart).allow(Fault::lost_message));
    expect_the_same_with_threads(leases.symmetry(symmetry), Limits());
  }
}

TEST(ThreadsSearch, CountsTheSameViolations) {
  Limits limits;
  limits.count_violations = true;
  expect_the_same_with_threads(
      catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 3, 1, 1), limits);
}

// Each job is done once, by any thread, and all are done before run() returns.
TEST(ThreadsSearch, ATeamDoesEachJobOnce) {
  ThreadTeam team(4);
  EXPECT_EQ(team.size(), 4U);
  for (std::size_t count = 0; count < 50; ++count) {
    std::vector<int> done(count, 0);
    team.run(count, [&done](std::size_t job) { ++done[job]; });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

}  // namespace
}  // namespace interlock::sim
