// The search that keeps some bits of each state, and no state.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/sim/bitstate_search.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

using catalogue::CatalogueEntry;
using catalogue::entries;
using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;

BitstateSearch in_bytes(std::uint64_t memory, std::uint64_t seed = 1) {
  BitstateSearch how;
  how.memory = memory;
  how.seed = seed;
  return how;
}
// Room for 200 000 states, of which none is overlooked.
BitstateSearch in_plenty() {
  return in_bytes(std::uint64_t{8} << 20);
}

Scenario race(std::size_t clients = 3, std::int64_t attempts = 1) {
  return stamp_lock_scenario(TakeOver::del_setnx, clients, attempts, 1);
}
Scenario sound(std::size_t clients = 3, std::size_t instants = 2) {
  return stamp_lock_scenario(TakeOver::getset, clients, 1, instants);
}

class Compared : public ::testing::TestWithParam<const CatalogueEntry*> {};

void expect_to_break_it(const Scenario& scenario, const Verdict& found) {
  ASSERT_EQ(found.outcome, Outcome::violated) << found.reason;
  EXPECT_EQ(found.run.steps.back().violates, found.property);
  const Result<sim::Run> again = replay(scenario, make_schedule(found.run));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(found.run));
}

// In a table with room it sees every state that the exhaustive search sees, and breaks what that
// breaks. Liveness is left out.
TEST_P(Compared, SeesWhatTheExhaustiveSearchSees) {
  const Scenario scenario = GetParam()->make({});
  const Verdict verdict = explore(scenario);
  ASSERT_LE(verdict.states, 200'000U) << "too large for the table: name it among the large ones";
  const BitstateVerdict found = search_bitstate(scenario, in_plenty());
  const bool liveness = !verdict.run.empty() && verdict.run.loop;
  if (verdict.outcome == Outcome::violated && !liveness) {
    return expect_to_break_it(scenario, found.verdict);
  }
  ASSERT_EQ(found.verdict.outcome, Outcome::incomplete) << found.verdict.reason;
  EXPECT_TRUE(found.at_end);
  EXPECT_LT(found.omission, 1e-4);
  // Where liveness is required, the exhaustive search distinguishes identical clients, and so does
  // this one.
  EXPECT_EQ(found.verdict.states, verdict.states);
  EXPECT_EQ(found.verdict.transitions, verdict.transitions);
  if (liveness) return;
  ASSERT_EQ(verdict.outcome, Outcome::proved) << verdict.reason;
  ASSERT_EQ(found.verdict.goals.size(), verdict.goals.size());
  for (const Goal& goal : found.verdict.goals) EXPECT_TRUE(goal.reached) << goal.name;
}

constexpr std::array<std::string_view, 4> large_ones{
    "lease-lock", "queue-lock", "queue-lock-quarantine", "failover-skewed-clock-repaired"};

std::vector<const CatalogueEntry*> small_ones() {
  std::vector<const CatalogueEntry*> small;
  for (const CatalogueEntry& entry : entries()) {
    const bool large =
        std::find(large_ones.begin(), large_ones.end(), entry.name) != large_ones.end();
    if (!entry.slow && !large) small.push_back(&entry);
  }
  return small;
}

// One of the large ones, in a table that overlooks some states: no more than it says.
TEST(BitstateSearch, OverlooksNoMoreThanItSays) {
  const Scenario scenario = catalogue::find("failover-skewed-clock-repaired")->make({});
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::proved);
  const BitstateVerdict found = search_bitstate(scenario, in_bytes(std::uint64_t{4} << 20));
  EXPECT_GT(found.omission, 1e-5);
  const double seen = static_cast<double>(found.verdict.states);
  const double most = static_cast<double>(verdict.states);
  EXPECT_LE(seen, most);
  EXPECT_GE(seen, most * (1 - found.omission * static_cast<double>(verdict.depth)));
}

INSTANTIATE_TEST_SUITE_P(Catalogue,
                         Compared,
                         ::testing::ValuesIn(small_ones()),
                         [](const auto& entry) {
                           std::string name(entry.param->name);
                           for (char& letter : name) {
                             if (letter == '-') letter = '_';
                           }
                           return name;
                         });

TEST(BitstateSearch, ThatNothingIsBrokenIsNoProof) {
  const BitstateVerdict found = search_bitstate(sound(), in_plenty());
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_TRUE(found.at_end);
  EXPECT_NE(found.verdict.reason.find(
                "a new state was taken for one of them with a probability of at most"),
            std::string::npos)
      << found.verdict.reason;
}

TEST(BitstateSearch, SaysHowMuchATableThatIsTooSmallMayOverlook) {
  const Scenario scenario = sound(4, 3);
  const std::uint64_t all = explore(scenario).states;
  const BitstateVerdict found = search_bitstate(scenario, in_bytes(1024));
  EXPECT_LT(found.verdict.states, all);
  EXPECT_GT(found.omission, 0.1);
  // Each state that it has seen has set a bit at least, and three at most.
  EXPECT_LE(found.verdict.states, 1024U * 8);
  const BitstateVerdict more = search_bitstate(scenario, in_bytes(64 << 10));
  EXPECT_GT(more.verdict.states, found.verdict.states);
  EXPECT_LT(more.omission, found.omission);
}

// With n states in m bits the share of bits that are set is 1 - e^(-3n/m) if hashes are as good as
// random, and the omission is its third power. A hash that crowds states sets fewer.
TEST(BitstateSearch, ItsHashIsAsGoodAsRandom) {
  const Scenario scenario = sound(4, 3);
  const std::uint64_t all = explore(scenario).states;
  const std::uint64_t bytes = all / 8 * 30;  // 30 bits for each
  const BitstateVerdict found = search_bitstate(scenario, in_bytes(bytes));
  // 1 - e^-0.1 = 0.0952
  EXPECT_NEAR(found.omission, 0.0952 * 0.0952 * 0.0952, 0.00005);
  EXPECT_GE(static_cast<double>(found.verdict.states), 0.99 * static_cast<double>(all));
}

TEST(BitstateSearch, ASeedIsTheSameSearchEverywhere) {
  const Verdict one = search_bitstate(race(3, 2), in_bytes(1 << 16, 7)).verdict;
  const Verdict same = search_bitstate(race(3, 2), in_bytes(1 << 16, 7)).verdict;
  ASSERT_EQ(one.outcome, Outcome::violated);
  EXPECT_EQ(print_short(one.run), print_short(same.run));
  EXPECT_EQ(one.states, same.states);
  const Verdict other = search_bitstate(race(3, 2), in_bytes(1 << 16, 8)).verdict;
  EXPECT_NE(print_short(one.run), print_short(other.run));
}

TEST(BitstateSearch, SeesOtherStatesWithAnotherSeed) {
  const Scenario scenario = sound(4, 3);
  const Verdict one = search_bitstate(scenario, in_bytes(4096, 1)).verdict;
  const Verdict other = search_bitstate(scenario, in_bytes(4096, 2)).verdict;
  EXPECT_NE(one.states, other.states);
}

TEST(BitstateSearch, ItsCallerEndsIt) {
  BitstateSearch how = in_plenty();
  how.proceed = [](const Progress&) { return false; };
  const BitstateVerdict found = search_bitstate(sound(4, 3), how);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(found.verdict.reason, "ended by its caller");
  EXPECT_FALSE(found.at_end);
}

TEST(BitstateSearch, EndsAtALimitOfStates) {
  BitstateSearch how = in_plenty();
  how.states = 100;
  const BitstateVerdict found = search_bitstate(sound(4, 3), how);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(found.verdict.reason, "the limit of 100 states was reached");
  EXPECT_EQ(found.verdict.states, 100U);
  EXPECT_NE(found.verdict.bounds.find(", at most 100 states, seed 1"), std::string::npos)
      << found.verdict.bounds;
  EXPECT_FALSE(found.at_end);
}

TEST(BitstateSearch, ATableWithoutRoomIsRefused) {
  const Verdict verdict = search_bitstate(sound(), in_bytes(1023)).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_NE(verdict.reason.find("is at least 1 KiB"), std::string::npos) << verdict.reason;
}

TEST(BitstateSearch, ATableThatDoesNotFitIntoMemoryIsSaid) {
  const Verdict verdict = search_bitstate(sound(), in_bytes(std::uint64_t{1} << 50)).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(verdict.reason, "there is no memory for a table of 1073741824 MiB");
  for (const std::uint64_t most : {~std::uint64_t{0}, ~std::uint64_t{0} / 2}) {
    EXPECT_EQ(search_bitstate(sound(), in_bytes(most)).verdict.outcome, Outcome::incomplete);
  }
}

TEST(BitstateSearch, WaitingForEverIsNothingThatBitsShow) {
  Scenario liveness = race();
  ASSERT_TRUE(liveness.require_only({PropertyKind::every_waiter_acquires}));
  EXPECT_EQ(search_bitstate(liveness, in_plenty()).verdict.outcome, Outcome::invalid);
}

TEST(BitstateSearch, SaysThatTheBeginningIsWrongAsTheSearchDoes) {
  Scenario scenario = race();
  scenario.require(always("nothing", [](const Snapshot&) { return false; }));
  const Verdict verdict = search_bitstate(scenario, in_plenty()).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_EQ(verdict.reason, explore(scenario).reason);
}

Task<void> writes(Client& me, std::vector<std::string> values) {
  for (const std::string& value : values) {
    static_cast<void>(co_await me.store().set(Key("n"), value));
  }
}

std::optional<std::int64_t> number_of_n(const Snapshot& now) {
  return now.number("n");
}

Outcome of_one_that_writes(std::vector<std::string> values, Property property) {
  Scenario scenario("writes");
  scenario.client([values](Client& me) { return writes(me, values); });
  scenario.require(std::move(property));
  return search_bitstate(scenario, in_plenty()).verdict.outcome;
}

Task<void> reads_a_key(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
}

// As explore() does; random runs, too.
TEST(BitstateSearch, RefusesAScenarioThatRequiresNothing) {
  Scenario scenario("nothing");
  scenario.client(reads_a_key);
  const std::string why = explore(scenario).reason;
  EXPECT_NE(why, "");
  for (const Verdict& verdict : {search_bitstate(scenario, in_plenty()).verdict,
                                 search_at_random(scenario, RandomSearch()).verdict}) {
    EXPECT_EQ(verdict.outcome, Outcome::invalid);
    EXPECT_EQ(verdict.reason, why);
  }
}

TEST(BitstateSearch, LooksAtStates) {
  const auto is_not_two = [] {
    return always("n is not 2", [](const Snapshot& now) { return number_of_n(now) != 2; });
  };
  EXPECT_EQ(of_one_that_writes({"1", "2"}, is_not_two()), Outcome::violated);
  EXPECT_EQ(of_one_that_writes({"1", "3"}, is_not_two()), Outcome::incomplete);
}

TEST(BitstateSearch, LooksAtSteps) {
  const auto grows = [] { return never_decreases("n never decreases", number_of_n); };
  EXPECT_EQ(of_one_that_writes({"2", "1"}, grows()), Outcome::violated);
  EXPECT_EQ(of_one_that_writes({"1", "2"}, grows()), Outcome::incomplete);
}

Task<void> listens(Client& me) {
  const Channel bell("bell");
  const Result<SubscriptionId> ear = co_await me.store().subscribe(bell);
  if (ear) static_cast<void>(co_await me.store().await_message(*ear, TimePoint::max()));
}

TEST(BitstateSearch, SeesAClientThatWaitsForWhatCannotCome) {
  Scenario scenario("listens");
  scenario.client(listens).client([](Client& me) { return writes(me, {"1"}); });
  scenario.require(never("anything"));
  const Verdict verdict = search_bitstate(scenario, in_plenty()).verdict;
  ASSERT_EQ(verdict.outcome, Outcome::violated) << verdict.reason;
  EXPECT_EQ(verdict.property, "no deadlock");
  scenario.allow_deadlock();
  EXPECT_EQ(search_bitstate(scenario, in_plenty()).verdict.outcome, Outcome::incomplete);
}

TEST(BitstateSearch, AProgramThatTakesTurnsIsNoProgramToSearch) {
  int made = 0;
  Scenario scenario("takes turns");
  scenario.client([&made](Client& me) { return writes(me, {++made % 2 == 0 ? "1" : "2"}); });
  scenario.require(never("anything"));
  EXPECT_EQ(search_bitstate(scenario, in_plenty()).verdict.outcome, Outcome::invalid);
}

}  // namespace
}  // namespace interlock::sim
