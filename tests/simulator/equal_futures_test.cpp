// Local states that do the same from then on are one. Nothing may show of it but fewer states.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/merged_search.hpp"

namespace interlock::sim {
namespace {

// Tries to merge as soon as it has seen so many states, however little that gains.
MergingLimits merging_from(std::uint64_t states) {
  MergingLimits merging;
  merging.from = states;
  merging.gain = 0;
  merging.effort = 1'000;
  return merging;
}

std::string all_but_figures(const Verdict& verdict) {
  std::string text = std::string(to_string(verdict.outcome)) + verdict.property + verdict.reason;
  for (const Goal& goal : verdict.goals) text += "\n" + goal.name + (goal.reached ? "" : " not");
  return text + describe(verdict.run);
}

TEST(EqualFutures, LeaveEachVerdictOfTheCatalogueAsItIs) {
  int smaller = 0;
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    const Result<Scenario> scenario = catalogue::build(entry.name, {});
    ASSERT_TRUE(scenario) << scenario.error().detail();
    if (entry.slow || scenario->endless()) continue;
    const Verdict apart = explore(*scenario);
    if (apart.states > 3'000) continue;
    for (const std::uint64_t part : {8U, 1U}) {
      MergingLimits merging = merging_from(apart.states / part);
      merging.effort = 20;
      const Verdict merged = explore_merged(*scenario, {}, merging);
      EXPECT_EQ(all_but_figures(merged), all_but_figures(apart)) << entry.name << part;
      EXPECT_LE(merged.states, apart.states) << entry.name;
      if (merged.merged_local_states > 0) ++smaller;
    }
  }
  EXPECT_GT(smaller, 10);
}

TEST(EqualFutures, MakeLargeSearchesOfTheStampLockAFourthOrLess) {
  const Scenario scenario = catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 4, 2, 3);
  const Verdict apart = explore(scenario);
  const Verdict merged = explore_merged(scenario);
  EXPECT_EQ(all_but_figures(merged), all_but_figures(apart));
  EXPECT_LT(merged.states * 4, apart.states);
}

const Key key("key");
const Key counter("counter");

// A program drawn by chance, which remembers a number below three of all that it was told.
class Forgetful {
 public:
  static constexpr std::size_t requests = 5;

  explicit Forgetful(std::mt19937_64& chance) : reports(chance() % 2 == 0) {
    for (int& operation : operations) operation = static_cast<int>(chance() % 6);
    for (auto& of_request : next) {
      for (auto& of_state : of_request) {
        for (std::size_t& state : of_state) state = chance() % 3;
      }
    }
  }

  bool reports;  // that it is in a bad state; else it enters a lock then
  std::array<int, requests> operations{};
  std::array<std::array<std::array<std::size_t, 2>, 3>, requests> next{};
};

// 0 or 1: what the store has answered.
Task<std::size_t> asks(Client& me, int operation, OwnerToken token) {
  switch (operation) {
    case 0:
    case 1: {
      const Result<bool> first = co_await me.store().set_if_absent(key, token.text());
      co_return first&&* first ? 1 : 0;
    }
    case 2: {
      const Result<std::int64_t> counted = co_await me.store().increment(counter);
      co_return counted&&* counted > 1 ? 1 : 0;
    }
    case 3: {
      const Result<std::optional<std::string>> there = co_await me.store().get(counter);
      co_return there&&* there ? 1 : 0;
    }
    case 4:
      co_return me.time().now() > TimePoint(std::chrono::milliseconds(100'500)) ? 1 : 0;
    default: {
      const Result<std::optional<std::string>> holder = co_await me.store().get(key);
      co_return holder&&* holder == token.text() ? 1 : 0;
    }
  }
}

Task<void> forgets(Client& me, const Forgetful* program) {
  const OwnerToken token = me.tokens().fresh();
  std::size_t state = 0;
  for (std::size_t request = 0; request < Forgetful::requests; ++request) {
    const std::size_t told = co_await asks(me, program->operations[request], token);
    state = program->next[request][state][told];
  }
  // This shows in no wait of the program.
  if (program->reports) {
    me.reach("bad", state == 0);
    co_return;
  }
  if (state != 0) co_return;
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().erase(key));
}

TEST(EqualFutures, LeaveVerdictsOfRandomProgramsAsTheyAre) {
  const char* const trials = std::getenv("INTERLOCK_TRIALS");
  const int programs = trials != nullptr ? std::atoi(trials) : 300;
  std::map<Outcome, int> smaller;
  std::map<Outcome, int> all;
  for (int seed = 1; seed <= programs; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const Forgetful program(chance);
    Scenario scenario("forgetful");
    const bool faulty = seed % 5 == 0;
    scenario.clients(faulty ? 2 : 3, [&program](Client& me) { return forgets(me, &program); });
    scenario.instants(2);
    if (faulty) scenario.faults(FaultBudget::any(1));
    scenario.require(program.reports ? never("bad") : mutual_exclusion("lock"));
    const Verdict apart = explore(scenario);
    // The earlier it guesses, the more it learns only when it asks.
    MergingLimits merging = merging_from(seed % 2 == 0 ? 2 : apart.states / 4);
    if (seed % 2 == 0) merging.effort = 10'000;
    const Verdict merged = explore_merged(scenario, {}, merging);
    ASSERT_EQ(all_but_figures(merged), all_but_figures(apart)) << seed;
    ++all[apart.outcome];
    if (merged.states < apart.states) ++smaller[apart.outcome];
  }
  EXPECT_GT(all[Outcome::violated], programs / 10);
  EXPECT_GT(smaller[Outcome::proved], programs / 50)
      << all[Outcome::proved] << " proved, " << all[Outcome::invalid] << " invalid";
}

Task<void> retries_for_ever(Client& me) {
  for (;;) static_cast<void>(co_await me.store().get(counter));
}

Scenario for_ever() {
  Scenario scenario("for ever");
  scenario.clients(2, retries_for_ever).require(never("anything")).allow_deadlock();
  return scenario;
}

// Each round would be one member more.
TEST(EqualFutures, OfAProgramThatRetriesForEverAreGivenUpSoon) {
  Limits limits;
  limits.program_steps = 60;
  const Verdict apart = explore(for_ever(), limits);
  const Verdict merged = explore_merged(for_ever(), limits, merging_from(20));
  EXPECT_EQ(all_but_figures(merged), all_but_figures(apart));
  int calls = 0;
  limits.program_steps = 5'000;
  limits.proceed = [&calls](const Progress&) { return ++calls < 20; };
  MergingLimits merging = merging_from(20);
  merging.effort = 1e9;
  EXPECT_EQ(explore_merged(for_ever(), limits, merging).reason, "ended by its caller");
  EXPECT_LE(calls, 50);
}

// A client that has counted to two must not be told that one is the count, which no server of this
// scenario says. `told` counts how often it is.
Task<void> relies_on_the_world(Client& me, int* told) {
  const Result<std::int64_t> mine = co_await me.store().increment(counter);
  const bool is_first = mine && *mine == 1;
  const Result<std::optional<std::string>> seen = co_await me.store().get(counter);
  if (!is_first && seen && *seen == "1") {
    ++*told;
    co_await me.leave("never entered");
  }
  for (int i = 0; i < 2; ++i) static_cast<void>(co_await me.store().get(key));
  if (!is_first) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(EqualFutures, MayFailWhereTheWorldNeverLeadsThem) {
  Scenario scenario("relies");
  int told = 0;
  scenario.clients(2, [&told](Client& me) { return relies_on_the_world(me, &told); });
  scenario.require(mutual_exclusion("lock"));
  const Verdict apart = explore(scenario);
  ASSERT_EQ(apart.outcome, Outcome::proved) << describe(apart);
  ASSERT_EQ(told, 0);
  for (std::uint64_t from = 1; from <= apart.states; ++from) {
    const Verdict merged = explore_merged(scenario, {}, merging_from(from));
    ASSERT_EQ(all_but_figures(merged), all_but_figures(apart)) << from;
  }
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace interlock::sim
