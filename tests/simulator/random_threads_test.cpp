// Random runs that several threads take are the runs that one takes: the same number, steps and
// shown run.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/thread_team.hpp"

namespace interlock::sim {
namespace {

constexpr std::uint64_t all_runs = 7 * RandomSearch::series / 2;

void expect_the_same_runs_with_threads(const Scenario& scenario, RandomSearch how) {
  how.team = nullptr;
  const RandomVerdict alone = search_at_random(scenario, how);
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadTeam team(threads);
    how.team = &team;
    const RandomVerdict shared = search_at_random(scenario, how);
    EXPECT_EQ(shared.verdict.outcome, alone.verdict.outcome) << shared.verdict.reason;
    EXPECT_EQ(shared.verdict.reason, alone.verdict.reason);
    EXPECT_EQ(shared.runs, alone.runs);
    EXPECT_EQ(shared.steps, alone.steps);
    EXPECT_EQ(shared.longest, alone.longest);
    EXPECT_EQ(shared.cut_off, alone.cut_off);
    EXPECT_EQ(print_short(shared.verdict.run), print_short(alone.verdict.run));
  }
}

RandomSearch by_chance(std::size_t depth) {
  RandomSearch how;
  how.runs = all_runs;
  how.depth = depth;
  return how;
}

TEST(RandomThreads, TakeTheSameRunsOfASmallWorld) {
  for (const std::size_t depth : {0U, 3U}) {
    expect_the_same_runs_with_threads(
        catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 2), by_chance(depth));
  }
}

TEST(RandomThreads, TakeTheSameRunsWithFaultsAndThoseThatAreCutOff) {
  Scenario leases = catalogue::lease_lock_scenario(2, catalogue::LeaseClientOptions(), 3);
  leases.faults(FaultBudget().allow(Fault::crash).allow(Fault::restart));
  RandomSearch how = by_chance(0);
  how.steps = 9;
  expect_the_same_runs_with_threads(leases, how);
}

// Three draws of 30: one run in 27 000 has all three.
Task<void> draws_thrice(Client& me) {
  bool all = true;
  for (int draw = 0; draw < 3; ++draw) {
    static_cast<void>(co_await me.store().get(Key("k")));
    all = me.choose(30) == 7 && all;
  }
  me.reach("three sevens", all);
}

TEST(RandomThreads, ShowTheFirstRunThatBreaksSomething) {
  Scenario scenario("draws thrice");
  scenario.client(draws_thrice).require(never("three sevens"));
  RandomSearch how = by_chance(0);
  how.runs = 20 * RandomSearch::series;
  how.seed = 3;
  const RandomVerdict found = search_at_random(scenario, how);
  ASSERT_EQ(found.verdict.outcome, Outcome::violated) << found.verdict.reason;
  ASSERT_GT(found.runs, 2 * RandomSearch::series);
  expect_the_same_runs_with_threads(scenario, how);
}

TEST(RandomThreads, AreEndedByTheCaller) {
  ThreadTeam team(2);
  RandomSearch how = by_chance(0);
  how.runs = 1'000'000'000'000;
  how.team = &team;
  how.proceed = [](const RandomProgress& progress) { return progress.runs < all_runs; };
  const RandomVerdict found =
      search_at_random(catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 1), how);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_GE(found.runs, all_runs);
}

}  // namespace
}  // namespace interlock::sim
