// Every scenario of the catalogue: what it says about itself is what the search finds. With
// INTERLOCK_SLOW in the environment those that take seconds, without it the others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <regex>
#include <set>
#include <string>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

using catalogue::build;
using catalogue::CatalogueEntry;
using catalogue::entries;
using catalogue::find;

bool slow_ones() {
  return std::getenv("INTERLOCK_SLOW") != nullptr;
}

std::vector<const CatalogueEntry*> mine() {
  std::vector<const CatalogueEntry*> chosen;
  for (const CatalogueEntry& entry : entries()) {
    if (entry.slow == slow_ones()) chosen.push_back(&entry);
  }
  return chosen;
}

std::string line_of(const ScheduleStep& step) {
  return step.mover + " " + step.action;
}

// `step 3 (A GET)` and `step 5 (world crash)`: the run has that there.
void expect_prose_fits(const CatalogueEntry& entry, const Run& run) {
  const Schedule schedule = make_schedule(run);
  const std::string prose(entry.explanation);
  const std::regex mention("[Ss]teps?\\s+(\\d+)(\\s+\\(([^)]*)\\))?");
  std::size_t mentions = 0;
  for (std::sregex_iterator at(prose.begin(), prose.end(), mention), end; at != end; ++at) {
    ++mentions;
    const std::size_t number = std::stoull((*at)[1]);
    ASSERT_GE(number, 1U) << entry.name;
    ASSERT_LE(number, schedule.steps.size()) << entry.name << ": " << at->str();
    ASSERT_TRUE((*at)[2].matched) << entry.name << ": say in brackets what '" << at->str()
                                  << "' is";
    const std::string said = std::regex_replace((*at)[3].str(), std::regex("\\s+"), " ");
    const std::string line = line_of(schedule.steps[number - 1]);
    EXPECT_TRUE(line.starts_with(said)) << entry.name << ": step " << number << " is '" << line
                                        << "', the prose says '" << said << "'";
  }
  EXPECT_GE(mentions, 1U) << entry.name << ": the explanation names no step of the run";
}

void expect_stale_fits(const CatalogueEntry& entry, const Run& run) {
  if (!entry.stale) return;
  ASSERT_LT(entry.stale->learned, entry.stale->acted) << entry.name;
  ASSERT_LE(entry.stale->acted, run.steps.size()) << entry.name;
  ASSERT_GE(entry.stale->learned, 1U) << entry.name;
  EXPECT_EQ(run.steps[entry.stale->learned - 1].client, run.steps[entry.stale->acted - 1].client)
      << entry.name << ": the client that acts must be the one that learned";
}

void expect_violated(const CatalogueEntry& entry, const Verdict& verdict) {
  ASSERT_EQ(verdict.outcome, Outcome::violated) << entry.name << "\n" << describe(verdict);
  EXPECT_EQ(verdict.property, entry.expected.property) << entry.name;
  EXPECT_EQ(verdict.run.steps.size(), entry.expected.steps) << entry.name << "\n"
                                                            << draw_text(verdict.run, &verdict);
  EXPECT_EQ(verdict.run.faults(), entry.expected.faults) << entry.name;
  expect_prose_fits(entry, verdict.run);
  expect_stale_fits(entry, verdict.run);
  if (::testing::Test::HasFailure()) std::cout << draw_text(verdict.run, &verdict);
}

TEST(Catalogue, FindsWhatEachScenarioSaysOfItself) {
  for (const CatalogueEntry* entry : mine()) {
    SCOPED_TRACE(std::string(entry->name));
    const Result<Scenario> scenario = build(entry->name, {});
    ASSERT_TRUE(scenario) << scenario.error().detail();
    const Verdict verdict = explore(*scenario);
    if (entry->expected.outcome == Outcome::violated) {
      expect_violated(*entry, verdict);
    } else {
      EXPECT_EQ(verdict.outcome, entry->expected.outcome)
          << describe(verdict) << draw_text(verdict.run, &verdict);
      for (const Goal& goal : verdict.goals) EXPECT_TRUE(goal.reached) << goal.name;
    }
  }
}

TEST(Catalogue, FindsTheSameRunTwice) {
  for (const CatalogueEntry* entry : mine()) {
    if (entry->expected.outcome != Outcome::violated) continue;
    const Result<Scenario> scenario = build(entry->name, {});
    ASSERT_TRUE(scenario);
    const sim::Run one = explore(*scenario).run;
    const sim::Run other = explore(*build(entry->name, {})).run;
    EXPECT_EQ(describe(one), describe(other)) << entry->name;
    const auto again = replay(*scenario, make_schedule(one));
    ASSERT_TRUE(again) << entry->name << ": " << again.error().detail();
    EXPECT_EQ(describe(*again), describe(one)) << entry->name;
  }
}

std::set<PropertyKind> kinds_in(const Scenario& scenario) {
  std::set<PropertyKind> kinds;
  for (const Property& property : scenario.properties()) kinds.insert(property.kind);
  for (const Property& property : scenario.offered()) kinds.insert(property.kind);
  return kinds;
}

// What its clients tell of belongs to the properties that are left aside then.
TEST(Catalogue, AnyPropertyOfAScenarioCanBeAskedAlone) {
  Limits limits;
  limits.states = 5'000;
  for (const CatalogueEntry* entry : mine()) {
    const Result<Scenario> whole = build(entry->name, {});
    ASSERT_TRUE(whole) << whole.error().detail();
    for (const PropertyKind kind : kinds_in(*whole)) {
      const Result<Scenario> alone =
          build(entry->name, {{"property", std::string(to_string(kind))}});
      ASSERT_TRUE(alone) << entry->name << ": " << alone.error().detail();
      const Verdict verdict = explore(*alone, limits);
      EXPECT_NE(verdict.outcome, Outcome::invalid) << describe(verdict);
    }
  }
}

// Fewer faults never allow more: whether time may pass while somebody could move is the scenario's.
TEST(Catalogue, WithoutFaultsNothingBreaksThatHoldsWithThem) {
  for (const CatalogueEntry* entry : mine()) {
    if (entry->expected.outcome != Outcome::proved) continue;
    const Result<Scenario> usual = build(entry->name, {});
    const Result<Scenario> scenario = build(entry->name, {{"faults", "none"}});
    ASSERT_TRUE(usual && scenario);
    EXPECT_EQ(scenario->faults().pauses_count(), usual->faults().pauses_count()) << entry->name;
    if (usual->faults().total() == 0) continue;
    EXPECT_NE(explore(*scenario).outcome, Outcome::violated) << entry->name;
  }
}

TEST(Catalogue, NamesAreUniqueAndKebabCase) {
  std::set<std::string_view> names;
  for (const CatalogueEntry& entry : entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " twice";
    EXPECT_TRUE(std::regex_match(std::string(entry.name), std::regex("[a-z0-9]+(-[a-z0-9]+)*")))
        << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_LE(entry.summary.size(), 80U) << entry.name;
    EXPECT_FALSE(entry.protocol.empty()) << entry.name;
    EXPECT_FALSE(entry.explanation.empty()) << entry.name;
  }
}

TEST(Catalogue, EveryBrokenScenarioHasARepairThatIsProved) {
  for (const CatalogueEntry& entry : entries()) {
    if (entry.expected.outcome != Outcome::violated || !entry.repairs_what.empty()) continue;
    EXPECT_FALSE(entry.fix.empty()) << entry.name;
    const CatalogueEntry* repaired = find(entry.repaired());
    ASSERT_NE(repaired, nullptr) << entry.name << " has no repair";
    EXPECT_EQ(repaired->expected.outcome, Outcome::proved) << repaired->name;
  }
}

TEST(Catalogue, RepairsAreScenariosAndWrongOnesAreViolated) {
  for (const CatalogueEntry& entry : entries()) {
    if (!entry.repairs_what.empty()) {
      EXPECT_NE(find(entry.repairs_what), nullptr) << entry.name;
    }
    for (const catalogue::Repair& repair : entry.repairs) {
      const CatalogueEntry* changed = find(repair.scenario);
      ASSERT_NE(changed, nullptr) << entry.name << ": there is no " << repair.scenario;
      EXPECT_EQ(changed->expected.outcome, repair.right ? Outcome::proved : Outcome::violated)
          << entry.name << ": " << repair.scenario;
      EXPECT_FALSE(repair.what.empty()) << repair.scenario;
      EXPECT_FALSE(repair.answer.empty()) << repair.scenario;
    }
  }
}

// Fencing tokens save what no lock can save. Where no two clients ever believe at one time that
// they hold the lock, a proof of them shows nothing.
TEST(Catalogue, FencingTokensAreProvedWhereTwoClientsBelieveThatTheyHoldTheLock) {
  std::set<std::string_view> checked;
  std::size_t searched = 0;
  for (const CatalogueEntry& entry : entries()) {
    for (const catalogue::Repair& repair : entry.repairs) {
      if (!repair.right || repair.what.find("fencing token") == std::string_view::npos) continue;
      if (find(repair.scenario)->slow || !checked.insert(repair.scenario).second) continue;
      Result<Scenario> scenario = build(repair.scenario, {});
      ASSERT_TRUE(scenario) << repair.scenario;
      if (!scenario->require_only({PropertyKind::mutual_exclusion})) continue;
      ++searched;
      const Verdict verdict = explore(*scenario);
      EXPECT_EQ(verdict.outcome, Outcome::violated) << repair.scenario << ": " << describe(verdict);
    }
  }
  EXPECT_GT(searched, 5u);
}

}  // namespace
}  // namespace interlock::sim
