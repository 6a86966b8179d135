// Random runs that several threads take are the runs that one takes: the same number, steps and
// shown run.
#include <gtest/gtest.h>

#include <functional>

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

// One run in 2^14 has all. The world is small, so that soon all of it is known.
Task<void> draws_fourteen_times(Client& me) {
  bool all = true;
  for (int draw = 0; draw < 14; ++draw) {
    co_await me.loop_head(draw, all);
    static_cast<void>(co_await me.store().get(Key("k")));
    all = me.choose(2) == 1 && all;
  }
  me.reach("all", all);
}

// Counts how often the threads are called.
class CountedTeam final : public Team {
 public:
  explicit CountedTeam(std::size_t threads) : team_(threads) {}
  std::size_t size() const override { return team_.size(); }
  void run(std::size_t count, const std::function<void(std::size_t)>& job) override {
    ++calls;
    team_.run(count, job);
  }
  std::size_t calls = 0;

 private:
  ThreadTeam team_;
};

TEST(RandomThreads, ShowTheFirstRunThatBreaksSomething) {
  Scenario scenario("fourteen draws");
  scenario.client(draws_fourteen_times).require(never("all"));
  std::size_t behind_the_first_two = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    RandomSearch how = by_chance(0);
    how.runs = 20 * RandomSearch::series;
    how.seed = seed;
    const RandomVerdict found = search_at_random(scenario, how);
    ASSERT_EQ(found.verdict.outcome, Outcome::violated) << found.verdict.reason;
    CountedTeam team(5);
    how.team = &team;
    static_cast<void>(search_at_random(scenario, how));
    if (found.runs > 2 * RandomSearch::series) {
      ++behind_the_first_two;
      EXPECT_GT(team.calls, 0U) << "seed " << seed;
    }
    expect_the_same_runs_with_threads(scenario, how);
  }
  EXPECT_GT(behind_the_first_two, 0U);
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
