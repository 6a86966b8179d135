// Random runs, and runs made shorter.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using catalogue::CatalogueEntry;
using catalogue::entries;
using catalogue::find;
using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;

Scenario race(std::size_t clients = 2, std::int64_t attempts = 1) {
  return stamp_lock_scenario(TakeOver::del_setnx, clients, attempts, 1);
}

RandomSearch by_chance(std::uint64_t runs, std::uint64_t seed, std::size_t depth = 0) {
  RandomSearch how;
  how.runs = runs;
  how.seed = seed;
  how.depth = depth;
  return how;
}

// The race of the clients C0 to C2 in the Redis manual, where a search through everything would
// take long.
TEST(RandomSearch, MeetsTheRaceOfTheManualAmongEightClients) {
  const Scenario crowd = race(8, 5);
  const RandomVerdict found = search_at_random(crowd, by_chance(10'000, 1));
  ASSERT_EQ(found.verdict.outcome, Outcome::violated) << found.verdict.reason;
  EXPECT_EQ(found.verdict.property, "mutual exclusion of lock.foo");
  EXPECT_EQ(found.verdict.run.steps.back().violates, found.verdict.property);
  const sim::Run shorter = shorten(crowd, found.verdict.run);
  EXPECT_EQ(shorter.steps.back().violates, found.verdict.property);
  // The race itself, by any clients.
  EXPECT_EQ(shorter.steps.size(), find("del-setnx-lock")->expected.steps) << describe(shorter);
}

// What a seed means, written down: on another machine or with another compiler it is this run, too.
TEST(RandomSearch, ASeedIsTheSameRunEverywhere) {
  const RandomVerdict one = search_at_random(race(3, 2), by_chance(1'000, 7));
  const RandomVerdict same = search_at_random(race(3, 2), by_chance(1'000, 7));
  ASSERT_EQ(one.verdict.outcome, Outcome::violated);
  EXPECT_EQ(print_short(one.verdict.run), print_short(same.verdict.run));
  EXPECT_EQ(one.steps, same.steps);
  EXPECT_EQ(print_short(one.verdict.run), "del-setnx-lock:12212211");
  const RandomVerdict pct = search_at_random(race(3, 2), by_chance(1'000, 7, 3));
  EXPECT_EQ(print_short(pct.verdict.run), "del-setnx-lock:2211113322");
  const RandomVerdict other = search_at_random(race(3, 2), by_chance(1'000, 8));
  EXPECT_NE(print_short(one.verdict.run), print_short(other.verdict.run));
}

TEST(RandomSearch, ItsRunIsASchedule) {
  const RandomVerdict found = search_at_random(race(3, 2), by_chance(1'000, 1));
  ASSERT_EQ(found.verdict.outcome, Outcome::violated);
  const Result<sim::Run> again = replay(race(3, 2), make_schedule(found.verdict.run));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(found.verdict.run));
}

// The race needs three orderings: A reads before B replaces the lock, B is in its section when A
// replaces it, and still there when A enters. Two clients (time stands still), 12 steps at most: by
// 1 in 2 * 12^2 = 288 a run. That not one of 5000 meets it has a chance of 3 in 10^8.
TEST(RandomSearch, PrecedencesMeetAFailureAsDeepAsTheyAreAndNoneDeeper) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(search_at_random(race(), by_chance(5'000, seed, 3)).verdict.outcome,
              Outcome::violated)
        << "seed " << seed;
    for (const std::size_t shallow : {1U, 2U}) {
      EXPECT_EQ(search_at_random(race(), by_chance(5'000, seed, shallow)).verdict.outcome,
                Outcome::incomplete)
          << "seed " << seed << ", depth " << shallow;
    }
  }
}

Task<void> writes_and_erases(Client& me) {
  static_cast<void>(co_await me.store().set(Key("k"), "1"));
  static_cast<void>(co_await me.store().erase(Key("k")));
}
Task<void> reads_once(Client& me) {
  const auto found = co_await me.store().get(Key("k"));
  me.reach("seen", found && *found);
}

// With two orderings, two clients and three steps, a run finds it with a probability of at least 1
// in 2 * 3. With 600 seeds of one run each, fewer than 50 would find it once in 10^9 tries.
TEST(RandomSearch, TheFirstRunMeetsAFailureAsOftenAsItIsSaid) {
  Scenario scenario("one between two");
  scenario.client(writes_and_erases).client(reads_once).require(never("seen"));
  std::size_t met = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const RandomVerdict found = search_at_random(scenario, by_chance(1, seed, 2));
    EXPECT_EQ(found.runs, 1U);
    if (found.verdict.outcome == Outcome::violated) ++met;
  }
  EXPECT_GE(met, 50U);
}

TEST(RandomSearch, ThatNothingBreaksIsNoProof) {
  const Scenario sound = stamp_lock_scenario(TakeOver::getset, 2, 1, 1);
  const RandomVerdict found = search_at_random(sound, by_chance(500, 1));
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(found.runs, 500U);
  EXPECT_NE(found.verdict.reason.find("500 random runs broke nothing"), std::string::npos);
  ASSERT_EQ(found.verdict.goals.size(), 2U);
  for (const Goal& goal : found.verdict.goals) EXPECT_TRUE(goal.reached) << goal.name;
}

TEST(RandomSearch, ItsCallerEndsIt) {
  RandomSearch how = by_chance(1'000'000, 1);
  how.proceed = [](const RandomProgress& progress) { return progress.runs < 100; };
  const Scenario sound = stamp_lock_scenario(TakeOver::getset, 2, 1, 1);
  const RandomVerdict found = search_at_random(sound, how);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_LT(found.runs, 200U);
}

Task<void> polls_for_ever(Client& me) {
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(Key("lock.foo")));
  }
}

TEST(RandomSearch, ARunThatGoesOnAndOnIsCutOff) {
  Scenario scenario("polls for ever");
  scenario.client(polls_for_ever).require(mutual_exclusion("lock.foo"));
  RandomSearch how = by_chance(10, 1);
  how.steps = 50;
  const RandomVerdict found = search_at_random(scenario, how);
  EXPECT_EQ(found.cut_off, 10U);
  EXPECT_EQ(found.longest, 50U);
  // One more run has measured their length.
  EXPECT_EQ(found.steps, 550U);
}

TEST(RandomSearch, ItsCallerEndsItWithinARun) {
  Scenario scenario("polls for ever");
  scenario.client(polls_for_ever).require(mutual_exclusion("lock.foo"));
  RandomSearch how = by_chance(1, 1);
  how.steps = 1'000'000;
  how.proceed = [](const RandomProgress& progress) { return progress.steps < 1'000; };
  const RandomVerdict found = search_at_random(scenario, how);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_LT(found.steps, 2'000U);
}

TEST(RandomSearch, WaitingForEverIsNothingThatARunByChanceShows) {
  Scenario liveness = race();
  ASSERT_TRUE(liveness.require_only({PropertyKind::every_waiter_acquires}));
  const RandomVerdict found = search_at_random(liveness, by_chance(10, 1));
  EXPECT_EQ(found.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(found.runs, 0U);
}

// Leaving out any one step more, the run breaks nothing: whatever of the rest is still possible.
TEST(RandomSearch, MoreOrderingsThanARunCanHaveAreRefused) {
  const Verdict verdict = search_at_random(race(), by_chance(3, 1, ~std::size_t{0})).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_NE(verdict.reason.find("RandomSearch::depth is at most 100"), std::string::npos)
      << verdict.reason;
}

TEST(RandomSearch, AShortenedRunNeedsEachOfItsSteps) {
  const Scenario crowd = race(4, 3);
  const RandomVerdict found = search_at_random(crowd, by_chance(10'000, 3));
  const sim::Run shorter = shorten(crowd, found.verdict.run);
  ASSERT_LT(shorter.steps.size(), found.verdict.run.steps.size());
  for (std::size_t without = 0; without < shorter.steps.size(); ++without) {
    Simulation simulation(crowd);
    bool broken = false;
    for (std::size_t at = 0; at < shorter.steps.size() && !broken; ++at) {
      if (at == without) continue;
      const Result<RunStep> step = simulation.take(shorter.steps[at].code);
      broken = step && !step->violates.empty();
    }
    EXPECT_FALSE(broken) << "step " << without + 1 << " of\n" << describe(shorter);
  }
}

Task<void> writes(Client& me) {
  static_cast<void>(co_await me.store().set(Key("k"), "1"));
}
Task<void> tells_what_it_finds(Client& me) {
  const auto found = co_await me.store().get(Key("k"));
  me.reach(found && *found ? "something" : "nothing");
}

// A run from which a step is taken breaks something else: that is another failure.
TEST(RandomSearch, AShortenedRunBreaksWhatTheLongOneBroke) {
  Scenario scenario("finds");
  scenario.client(writes).client(tells_what_it_finds);
  scenario.require(never("something")).require(never("nothing"));
  Simulation simulation(scenario);
  while (simulation.run().empty() || simulation.run().steps.back().violates.empty()) {
    ASSERT_TRUE(simulation.take(simulation.choices().front().code));
  }
  const sim::Run run = simulation.run();
  ASSERT_EQ(run.steps.back().violates, "never something") << describe(run);
  EXPECT_EQ(shorten(scenario, run).steps.back().violates, "never something");
}

TEST(RandomSearch, ARunThatBreaksNothingIsNotShortened) {
  const sim::Run sound = run_of_choices(race(), {});
  EXPECT_EQ(describe(shorten(race(), sound)), describe(sound));
}

TEST(RandomSearch, ARunOfAnotherScenarioIsNotShortened) {
  const Scenario crowd = race(4, 3);
  const sim::Run run = search_at_random(crowd, by_chance(10'000, 3)).verdict.run;
  ASSERT_LT(shorten(crowd, run).steps.size(), run.steps.size());
  Scenario renamed = crowd;
  renamed.named("another");
  Scenario other("finds");
  other.client(writes).client(tells_what_it_finds).require(never("something"));
  Scenario namesake = other;
  namesake.named(race().name());
  for (const Scenario& scenario : {renamed, other, namesake}) {
    EXPECT_EQ(describe(shorten(scenario, run)), describe(run));
  }
  // The same steps break another property.
  sim::Run broken = run;
  broken.steps.back().violates = "another";
  EXPECT_EQ(describe(shorten(crowd, broken)), describe(broken));
}

TEST(RandomSearch, SaysThatTheBeginningIsWrongAsTheSearchDoes) {
  Scenario scenario = race();
  scenario.require(always("nothing", [](const Snapshot&) { return false; }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::invalid);
  const RandomVerdict found = search_at_random(scenario, by_chance(10, 1));
  EXPECT_EQ(found.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(found.verdict.reason, verdict.reason);
  EXPECT_EQ(found.runs, 0U);
}

class Broken : public ::testing::TestWithParam<const CatalogueEntry*> {};

TEST_P(Broken, IsMetByChance) {
  const CatalogueEntry& entry = *GetParam();
  for (const std::size_t depth : {0U, 4U}) {
    const Scenario scenario = entry.make({});
    const std::uint64_t runs = depth == 0 ? 50'000 : 5'000;
    RandomVerdict found = search_at_random(scenario, by_chance(runs, 1, depth));
    const bool needs_more_orderings = depth > 0 && found.verdict.outcome != Outcome::violated;
    if (needs_more_orderings) found = search_at_random(scenario, by_chance(runs, 1, depth + 2));
    ASSERT_EQ(found.verdict.outcome, Outcome::violated) << "depth " << depth;
    EXPECT_EQ(found.verdict.property, entry.expected.property);
    // None is shorter than the shortest.
    const sim::Run shorter = shorten(scenario, found.verdict.run);
    EXPECT_LE(shorter.steps.size(), found.verdict.run.steps.size());
    if (shorter.faults() <= entry.expected.faults) {
      EXPECT_GE(shorter.steps.size(), entry.expected.steps) << describe(shorter);
    }
  }
}

std::vector<const CatalogueEntry*> broken_ones() {
  std::vector<const CatalogueEntry*> broken;
  for (const CatalogueEntry& entry : entries()) {
    const bool liveness = entry.expected.property.find("every waiter") == 0;
    if (entry.expected.outcome == Outcome::violated && !liveness) broken.push_back(&entry);
  }
  return broken;
}

INSTANTIATE_TEST_SUITE_P(Catalogue,
                         Broken,
                         ::testing::ValuesIn(broken_ones()),
                         [](const auto& entry) {
                           std::string name(entry.param->name);
                           for (char& letter : name) {
                             if (letter == '-') letter = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace interlock::sim
