// Properties of two successive states (each_step, never_decreases).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/thread_team.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

std::optional<std::int64_t> number_of_n(const Snapshot& world) {
  return world.number("n");
}
bool changes_n(const StepView& step) {
  return number_of_n(step.before) != number_of_n(step.after);
}
bool any_step(const StepView&) {
  return true;
}
Property n_never_decreases() {
  return never_decreases("n never decreases", number_of_n);
}

Task<void> sets_n(Client& me, std::vector<std::string> values) {
  for (const std::string& value : values) {
    static_cast<void>(co_await me.store().set(Key("n"), value));
  }
}
Scenario setting(const std::vector<std::string>& values, const Property& property) {
  Scenario scenario("sets");
  scenario.client([values](Client& me) { return sets_n(me, values); });
  return scenario.require(property);
}

TEST(StepProperties, AreBrokenByTheFirstStepThatBreaksThem) {
  const Verdict verdict = explore(setting({"1", "2", "2", "1", "0"}, n_never_decreases()));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "n never decreases");
  ASSERT_EQ(verdict.run.steps.size(), 4U) << describe(verdict.run);
  EXPECT_EQ(verdict.run.steps.back().violates, "n never decreases");
}

TEST(StepProperties, HoldIfNoStepBreaksThem) {
  const Verdict verdict = explore(setting({"1", "2", "2", "3"}, n_never_decreases()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// Its two ways meet before it writes 2, and the shorter one comes first to what follows.
Task<void> comes_to_two(Client& me) {
  const std::string high = "3";
  if (me.choose(2) == 1) static_cast<void>(co_await me.store().set(Key("n"), high));
  co_await me.loop_head();
  const std::string two = "2";
  static_cast<void>(co_await me.store().set(Key("n"), two));
}

TEST(StepProperties, AreAskedAboutStepsToStatesThatAreKnown) {
  Scenario scenario("two");
  scenario.client(comes_to_two).require(n_never_decreases());
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 2U) << describe(verdict.run);
}

// --- who moves -----------------------------------------------------------------------------------

Task<void> counts(Client& me) {
  static_cast<void>(co_await me.store().increment(Key("n")));
  static_cast<void>(co_await me.store().increment(Key("n")));
}
Property never_makes(std::size_t client, std::int64_t value) {
  return each_step("it makes it not", changes_n, [client, value](const StepView& step) {
    return step.client != client || number_of_n(step.after) != value;
  });
}
Scenario counting_up(const Property& property) {
  Scenario scenario("counts");
  return scenario.clients(3, counts).require(property);
}

TEST(StepProperties, MayNameOneOfIdenticalClients) {
  for (std::size_t client = 0; client < 3; ++client) {
    Scenario scenario = counting_up(never_makes(client, 3));
    const Verdict merged = explore(scenario);
    ASSERT_EQ(merged.outcome, Outcome::violated) << describe(merged);
    EXPECT_EQ(merged.run.steps.back().client, client);
    const Verdict apart = explore(scenario.symmetry(false));
    EXPECT_EQ(merged.run.steps.size(), apart.run.steps.size());
    EXPECT_LT(merged.states, apart.states);
  }
}

TEST(StepProperties, AreToldTheMoverThatTheRunShows) {
  auto seen = std::make_shared<std::set<std::string>>();
  Scenario scenario("counts");
  scenario.clients(2, counts).require(each_step("seen", any_step, [seen](const StepView& step) {
    seen->insert(step.client ? step.before.clients[*step.client].name : "world");
    seen->insert(step.fault ? std::string(to_string(*step.fault)) : "no fault");
    return true;
  }));
  FaultBudget faults;
  faults.allow(Fault::crash).allow(Fault::restart).allow(Fault::lost_reply).at_most(1);
  scenario.instants(2).faults(faults);
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  const std::set<std::string> all{"A", "B", "world", "crash", "restart", "lost-reply", "no fault"};
  EXPECT_EQ(*seen, all);
}

TEST(StepProperties, KnowThatAServerFailsByItself) {
  Scenario scenario("restarts");
  scenario.client(counts).faults(FaultBudget().allow(Fault::restart_empty));
  scenario.require(each_step("data stay", changes_n, [](const StepView& step) {
    return step.client.has_value() && !step.fault;
  }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.back().fault, Fault::restart_empty);
}

// --- vacuity and mistakes ------------------------------------------------------------------------

// The client tells only with its end that the key is there, and the key goes after that.
Task<void> sets_for_a_second(Client& me) {
  static_cast<void>(co_await me.store().set(Key("n"), "1", std::chrono::seconds{1}));
  me.note("told", 1);
}
Scenario told_of_the_key() {
  const auto goes = [](const StepView& step) {
    return step.before.clients[0].ghost("told") == 1 && step.before.find("n") != nullptr &&
           step.after.find("n") == nullptr;
  };
  Scenario scenario("told of the key");
  scenario.client(sets_for_a_second);
  return scenario.require(
      each_step("the key stays", any_step, [goes](const StepView& step) { return !goes(step); }));
}

TEST(StepProperties, SeeWhatAFaultDoesWhenAllClientsHaveEnded) {
  for (const Fault fault : {Fault::eviction, Fault::restart_empty}) {
    const Scenario scenario = told_of_the_key().faults(FaultBudget().allow(fault));
    const Verdict verdict = explore(scenario);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    EXPECT_EQ(verdict.run.steps.size(), 2U) << describe(verdict.run);
  }
}

TEST(StepProperties, SeeWhatTimeDoesWhenAllClientsHaveEnded) {
  const Verdict verdict = explore(told_of_the_key().instants(3));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
  EXPECT_EQ(explore(told_of_the_key().time_without_end()).outcome, Outcome::violated);
  EXPECT_EQ(explore(told_of_the_key().instants(2)).outcome, Outcome::proved);
}

// Else a random run would go on for ever.
TEST(StepProperties, SeeNoTimeThatEndsNothing) {
  RandomSearch how;
  how.runs = 100;
  Scenario scenario = setting({"1", "2"}, n_never_decreases());
  const RandomVerdict found = search_at_random(scenario.time_without_end(), how);
  EXPECT_EQ(found.cut_off, 0U);
  EXPECT_EQ(found.runs, 100U);
}

TEST(StepProperties, AboutNoStepAtAllAreVacuous) {
  const Verdict verdict = explore(setting({"1", "1"}, n_never_decreases()));
  ASSERT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("some step is one that 'n never decreases' is about"),
                                    HasSubstr("nothing was proved")));
  ASSERT_EQ(verdict.vacuous.size(), 1U);
  EXPECT_EQ(verdict.vacuous.front().property, "n never decreases");
  EXPECT_EQ(verdict.vacuous.front().kind, PropertyKind::step_predicate);
}

TEST(StepProperties, NeedTheirFunctions) {
  for (const Property& property :
       {each_step("half", any_step, nullptr), each_step("half", nullptr, any_step),
        never_decreases("half", nullptr)}) {
    const Verdict verdict = explore(setting({"1"}, property));
    EXPECT_EQ(verdict.outcome, Outcome::invalid);
    EXPECT_THAT(verdict.reason, HasSubstr("'half' lacks a predicate"));
  }
}

TEST(StepProperties, ThatRememberAreFoundOut) {
  for (const bool guard : {true, false}) {
    const auto fickle = [asked = std::make_shared<int>(0)](const StepView&) {
      return ++*asked % 2 == 0;
    };
    const Property property =
        guard ? each_step("fickle", fickle, any_step) : each_step("fickle", any_step, fickle);
    const Verdict verdict = explore(setting({"1", "2"}, property));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, MatchesRegex("the predicate of 'fickle' answers differently .*"));
  }
}

TEST(StepProperties, ThatThrowAreFoundOut) {
  const auto throws = [](const StepView& step) -> bool {
    if (changes_n(step)) throw std::runtime_error("no such luck");
    return true;
  };
  const Verdict verdict = explore(setting({"1"}, each_step("throws", any_step, throws)));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("ended with an exception: no such luck"));
}

Task<void> sleeps_again_and_again(Client& me) {
  for (;;) {
    co_await me.loop_head();
    const TimePoint until = me.time().now() + std::chrono::seconds{1};
    co_await me.time().sleep_until(until);
  }
}

TEST(StepProperties, MustNotAskForTheTimeWhereItHasNoEnd) {
  Scenario scenario("sleeps");
  scenario.client(sleeps_again_and_again).instants(4).time_without_end();
  Scenario timed = scenario;
  const Verdict undecided =
      explore(timed.require(each_step("early", any_step, [](const StepView& step) {
        return step.after.time < std::chrono::seconds{9};
      })));
  EXPECT_EQ(undecided.outcome, Outcome::incomplete) << describe(undecided);
  EXPECT_THAT(undecided.reason, HasSubstr("the predicate of 'early' needs to know the time"));
  const Verdict proved = explore(scenario.require(each_step("fine", any_step, any_step)));
  EXPECT_EQ(proved.outcome, Outcome::proved) << describe(proved);
}

// --- other ways to take steps --------------------------------------------------------------------

TEST(StepProperties, AreCheckedInRandomRunsAndByHand) {
  const Scenario scenario = counting_up(never_makes(1, 3));
  const RandomVerdict by_chance = search_at_random(scenario, RandomSearch());
  ASSERT_EQ(by_chance.verdict.outcome, Outcome::violated);
  const sim::Run shorter = shorten(scenario, by_chance.verdict.run);
  EXPECT_EQ(shorter.steps.back().violates, "it makes it not");

  Simulation simulation(setting({"1", "0"}, n_never_decreases()));
  std::string violated;
  while (!simulation.choices().empty() && violated.empty()) {
    const Result<RunStep> step = simulation.take(simulation.choices().front().code);
    ASSERT_TRUE(step) << step.error().detail();
    violated = step->violates;
  }
  EXPECT_EQ(violated, "n never decreases");
}

TEST(StepProperties, HaveTheSameVerdictWithThreads) {
  ThreadTeam team(2);
  Limits limits;
  limits.team = &team;
  limits.team_from = 1;
  const Scenario scenario = counting_up(never_makes(2, 4));
  const Verdict by_two = explore(scenario, limits);
  const Verdict by_one = explore(scenario);
  EXPECT_EQ(describe(by_two), describe(by_one));
  EXPECT_EQ(describe(by_two.run), describe(by_one.run));
  EXPECT_THAT(by_one.reason, IsEmpty());
}

}  // namespace
}  // namespace interlock::sim
