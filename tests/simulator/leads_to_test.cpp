// The user's own liveness: whenever one condition holds, another one does then or later (leads_to).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/game.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Property::Predicate n_is(std::string value) {
  return [value](const Snapshot& world) {
    const KeyView* const n = world.find("n");
    return (n == nullptr ? "" : n->value) == value;
  };
}
Property one_leads_to_two() {
  return leads_to("1 leads to 2", n_is("1"), n_is("2"));
}

// Sets n to each of these values; those behind `|` again and again.
Task<void> sets_n(Client& me, std::vector<std::string> values) {
  std::size_t round = values.size();
  for (std::size_t at = 0; at < values.size();) {
    if (values[at] == "|") round = ++at;
    if (at >= round) co_await me.loop_head(at);
    const std::string value = values[at];
    static_cast<void>(co_await me.store().set(Key("n"), value));
    if (++at == values.size() && round < at) at = round;
  }
}
Scenario setting(const std::vector<std::string>& values) {
  Scenario scenario("sets");
  scenario.client([values](Client& me) { return sets_n(me, values); });
  return scenario.require(one_leads_to_two());
}
Verdict verdict_of(const std::vector<std::string>& values) {
  return explore(setting(values));
}

// The run must be taken again step by step, and break the same property.
void expect_replays(const Scenario& scenario, const Verdict& verdict) {
  const Result<Schedule> schedule = parse_schedule(print(make_schedule(verdict.run)));
  ASSERT_TRUE(schedule) << schedule.error().detail();
  const Result<Run> again = replay(scenario, *schedule);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(again->loop, verdict.run.loop);
  EXPECT_EQ(again->owed_since, verdict.run.owed_since);
  EXPECT_EQ(describe(*again), describe(verdict.run));
}

// --- one client alone ----------------------------------------------------------------------------

TEST(LeadsTo, IsProvedIfWhatIsOwedAlwaysComes) {
  EXPECT_PROVED(verdict_of({"1", "3", "2", "3"}));
  EXPECT_PROVED(verdict_of({"|", "1", "3", "2"}));
}

// The loop breaks the first property of the scenario, too, but not as soon.
TEST(LeadsTo, IsReplayedAsTheOneThatTheScheduleNames) {
  Scenario scenario("two");
  scenario.client([](Client& me) { return sets_n(me, {"|", "1", "2"}); });
  scenario.require(leads_to("2 leads to 3", n_is("2"), n_is("3")));
  scenario.require(leads_to("1 leads to 3", n_is("1"), n_is("3")));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "1 leads to 3");
  expect_replays(scenario, verdict);
}

TEST(LeadsTo, IsBrokenByALoop) {
  const std::vector<std::string> values{"2", "1", "3", "|", "4", "5"};
  const Verdict verdict = verdict_of(values);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "1 leads to 2");
  EXPECT_TRUE(n_is("1")(verdict.run.steps.at(*verdict.run.owed_since - 1).after));
  ASSERT_TRUE(verdict.run.loop);
  EXPECT_LT(*verdict.run.loop, verdict.run.steps.size());
  EXPECT_THAT(describe(verdict), AllOf(HasSubstr("on repeat for ever: after step 2 its first "
                                                 "condition holds")));
  expect_replays(setting(values), verdict);
}

TEST(LeadsTo, IsBrokenByTheEndOfTheRun) {
  const Verdict verdict = verdict_of({"1", "3"});
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.loop, verdict.run.steps.size());
  EXPECT_EQ(verdict.run.owed_since, 1U) << describe(verdict.run);
  EXPECT_THAT(draw_text(verdict.run), AllOf(HasSubstr("1 leads to 2"),
                                            HasSubstr("after step 1 its first condition holds")));
  expect_replays(setting({"1", "3"}), verdict);
}

TEST(LeadsTo, DoesNotCountWhatCameBefore) {
  EXPECT_EQ(verdict_of({"2", "1"}).outcome, Outcome::violated);
}

TEST(LeadsTo, IsAnsweredInTheSameState) {
  const auto one_or_two = [](const Snapshot& world) {
    return n_is("1")(world) || n_is("2")(world);
  };
  Scenario scenario("same");
  scenario.client([](Client& me) { return sets_n(me, {"1", "2", "3", "2", "3"}); });
  EXPECT_PROVED(explore(scenario.require(leads_to("same", one_or_two, n_is("2")))));
}

TEST(LeadsTo, IsOwedAgainAfterEachTime) {
  EXPECT_PROVED(verdict_of({"1", "2", "3", "1", "2", "3"}));
  const Verdict verdict = verdict_of({"1", "2", "3", "1", "3"});
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_TRUE(n_is("1")(verdict.run.steps.at(*verdict.run.owed_since - 1).after));
  EXPECT_GT(*verdict.run.owed_since, 3U);
}

TEST(LeadsTo, MayBeOwedFromTheBeginning) {
  Scenario scenario("from-the-beginning");
  scenario.client([](Client& me) { return sets_n(me, {"1", "3"}); });
  scenario.require(leads_to("nothing leads to 2", n_is(""), n_is("2")));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.run.owed_since, 0U);
  EXPECT_THAT(describe(verdict), HasSubstr("at the beginning its first condition holds"));
  expect_replays(scenario, verdict);
}

// --- others and faults ---------------------------------------------------------------------------

Task<void> writes(Client& me, std::string value) {
  static_cast<void>(co_await me.store().set(Key("n"), value));
}
Task<void> writes_again_and_again(Client& me, std::string key) {
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().set(Key(key), "0"));
  }
}
Program writer(std::string value) {
  return [value](Client& me) { return writes(me, value); };
}

TEST(LeadsTo, IsAboutAFairWorld) {
  // B goes on for ever, but A can always move.
  Scenario scenario("fair");
  scenario.client([](Client& me) { return sets_n(me, {"1", "2"}); });
  scenario.client([](Client& me) { return writes_again_and_again(me, "other"); });
  EXPECT_PROVED(explore(scenario.require(one_leads_to_two())));
}

TEST(LeadsTo, MayBeOwedOnlyAfterAFault) {
  const auto scenario_with = [](FaultBudget faults) {
    Scenario scenario("crash");
    scenario.client(writer("1")).client(writer("3")).faults(faults);
    const auto crashed = [](const Snapshot& world) {
      return world.clients[0].status == ClientView::Status::crashed;
    };
    return scenario.require(leads_to("a crash leads to 2", crashed, n_is("2")));
  };
  const Verdict verdict = explore(scenario_with(FaultBudget().allow(Fault::crash)));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
  EXPECT_EQ(verdict.run.steps.at(*verdict.run.owed_since - 1).fault, Fault::crash);
  const Verdict vacuous = explore(scenario_with(FaultBudget()));
  EXPECT_EQ(vacuous.outcome, Outcome::invalid) << describe(vacuous);
}

TEST(LeadsTo, MayNeedAFaultBetweenWhatIsOwedAndTheEnd) {
  Scenario scenario("crash-between");
  scenario.client([](Client& me) { return sets_n(me, {"1", "3", "2"}); });
  scenario.faults(FaultBudget().allow(Fault::crash));
  // A state after the crash is none of those from which it must come to 2.
  const auto alive_at_one = [](const Snapshot& world) {
    return n_is("1")(world) && world.clients[0].status == ClientView::Status::running;
  };
  scenario.require(leads_to("1 leads to 2", alive_at_one, n_is("2")));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
  EXPECT_EQ(verdict.run.owed_since, 1U);
  EXPECT_EQ(verdict.run.steps.size(), 2U) << describe(verdict.run);
  expect_replays(scenario, verdict);
}

using Values = std::vector<std::string>;

Task<void> goes_one_of_two_ways(Client& me, Values one, Values other) {
  me.wants("lock");
  const Values& chosen = me.choose(2) == 0 ? one : other;
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    static_cast<void>(co_await me.store().set(Key("n"), chosen[at]));
  }
  const std::string last = "3";
  for (;;) {
    co_await me.loop_head(2);
    static_cast<void>(co_await me.store().set(Key("n"), last));
  }
}
Program two_ways(Values one, Values other) {
  return [=](Client& me) { return goes_one_of_two_ways(me, one, other); };
}

TEST(LeadsTo, TakesTheWayOfFewestFaultsAndSteps) {
  // The short way to 3 does not come by 1; the way that owes something is longer.
  Scenario scenario("ways");
  scenario.client(two_ways({}, {"4", "1"})).require(one_leads_to_two());
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.owed_since, 2U) << describe(verdict.run);
  EXPECT_EQ(verdict.run.loop, 3U) << describe(verdict.run);
  expect_replays(scenario, verdict);
}

Task<void> races(Client& me) {
  const std::string value = "1";
  const Result<bool> first = co_await me.store().set_if_absent(Key("n"), value);
  me.note("won", first && *first ? 1 : 0);
  me.enter("it");
  co_await me.leave("it");
}

TEST(LeadsTo, MayNameOneOfIdenticalClients) {
  const auto scenario_about = [](std::size_t client) {
    Scenario scenario("names");
    scenario.clients(3, races);
    const auto begun = [client](const Snapshot& world) {
      return world.clients[client].ghost("won").has_value();
    };
    const auto won = [client](const Snapshot& world) {
      return world.clients[client].ghost("won") == 1;
    };
    return scenario.require(leads_to("it wins", begun, won));
  };
  for (std::size_t client = 0; client < 3; ++client) {
    Scenario scenario = scenario_about(client);
    const Verdict verdict = explore(scenario);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    EXPECT_EQ(verdict.run.steps.back().after.clients[client].ghost("won"), 0);
    expect_replays(scenario, verdict);
    EXPECT_EQ(explore(scenario.symmetry(false)).states, verdict.states);
  }
}

TEST(LeadsTo, TheNearestOfSeveralIsTold) {
  const Property owing = one_leads_to_two();
  const Property waiting = every_waiter_acquires("lock");
  for (const bool owing_first : {true, false}) {
    Scenario scenario("nearest");
    scenario.client(two_ways({"5"}, {"1", "4", "5", "6"}));
    scenario.require(owing_first ? owing : waiting).require(owing_first ? waiting : owing);
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.property, waiting.name) << describe(verdict);
    EXPECT_FALSE(verdict.run.owed_since);
  }
}

Task<void> insists(Client& me, std::string first, std::string second) {
  for (const std::string& value : {first, second}) {
    for (;;) {
      co_await me.loop_head(value == first ? 0 : 1);
      const std::string wanted = value;
      const auto set = co_await me.store().set(Key("n"), wanted);
      if (set) break;
    }
  }
}
Scenario insisting() {
  Scenario scenario("insists");
  scenario.client([](Client& me) { return insists(me, "1", "2"); });
  scenario.faults(FaultBudget().allow(Fault::restart));
  return scenario.require(one_leads_to_two());
}

TEST(LeadsTo, NothingLastsForEverWhileAConnectionIsToBreak) {
  EXPECT_PROVED(explore(insisting()));
}

TEST(LeadsTo, ByHandNothingLastsForEverThenEither) {
  Simulation simulation(insisting());
  const auto take = [&](const std::string& note, const std::string& what) {
    for (const RunStep& step : simulation.choices()) {
      if (step.fault || step.note != note || step.what.find(what) == std::string::npos) continue;
      return simulation.take(step.code).has_value();
    }
    return false;
  };
  ASSERT_TRUE(take("", "SET n 1"));
  ASSERT_TRUE(take("the request is lost when its connection breaks", "SET n 2"));
  const Result<std::string> closed = simulation.close_loop(simulation.run().steps.size());
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().detail(), HasSubstr("is still to break"));
}

// --- time ----------------------------------------------------------------------------------------

Task<void> writes_late(Client& me, Duration wait) {
  static_cast<void>(co_await me.store().set(Key("n"), "1"));
  const TimePoint until = me.time().now() + wait;
  co_await me.time().sleep_until(until);
  static_cast<void>(co_await me.store().set(Key("n"), "2"));
}

TEST(LeadsTo, IsNotDecidedIfTimeEndsBefore) {
  Scenario scenario("late");
  scenario.client([](Client& me) { return writes_late(me, std::chrono::seconds{3}); });
  scenario.instants(2).require(one_leads_to_two());
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(verdict.reason,
            "time ends while what '1 leads to 2' leads to is still to come, and more of it might "
            "help");
  EXPECT_PROVED(explore(scenario.time_without_end()));
}

// --- mistakes ------------------------------------------------------------------------------------

TEST(LeadsTo, IsVacuousIfNothingIsEverOwed) {
  const Verdict verdict = verdict_of({"3", "2"});
  ASSERT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("the first condition of '1 leads to 2' holds, and "
                                              "its second does not"),
                                    HasSubstr("nothing was proved")));
  ASSERT_EQ(verdict.vacuous.size(), 1U);
  EXPECT_EQ(verdict.vacuous.front().kind, PropertyKind::leads_to);
}

TEST(LeadsTo, NeedsTwoFunctions) {
  for (const Property& property :
       {leads_to("half", n_is("1"), nullptr), leads_to("half", nullptr, n_is("2"))}) {
    Scenario scenario("half");
    const Verdict verdict = explore(scenario.client(writer("1")).require(property));
    EXPECT_EQ(verdict.outcome, Outcome::invalid);
    EXPECT_EQ(verdict.reason, "'half' lacks a predicate: give leads_to() two functions");
  }
}

TEST(LeadsTo, FindsOutWhatThrowsOrRemembers) {
  const auto throws = [](const Snapshot& world) -> bool {
    if (n_is("1")(world)) throw std::runtime_error("no such luck");
    return false;
  };
  const auto fickle = [asked = std::make_shared<int>(0)](const Snapshot&) {
    return ++*asked % 2 == 0;
  };
  const auto reason_of = [](const Property::Predicate& from, const Property::Predicate& to) {
    Scenario scenario("wrong");
    const Verdict verdict = explore(scenario.client(writer("1")).require(leads_to("w", from, to)));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    return verdict.reason;
  };
  const auto any = [](const Snapshot&) { return true; };
  const std::string thrown = "the predicate of 'w' ended with an exception: no such luck";
  EXPECT_THAT(reason_of(throws, n_is("2")), HasSubstr(thrown));
  EXPECT_THAT(reason_of(any, throws), HasSubstr(thrown));
  EXPECT_THAT(reason_of(fickle, n_is("2")), HasSubstr("answers differently"));
  EXPECT_THAT(reason_of(any, fickle), HasSubstr("answers differently"));
}

TEST(LeadsTo, CountsItsMemory) {
  Scenario scenario("large");
  for (const char* const value : {"1", "3", "4"}) {
    scenario.client([value](Client& me) {
      return sets_n(me, {value, "5", value, "6", value, "7", value, "8", "2"});
    });
  }
  scenario.require(one_leads_to_two());
  const Verdict enough = explore(scenario);
  EXPECT_PROVED(enough);
  Limits limits;
  constexpr std::size_t less = 10;  // of the bytes of the walk for each state
  limits.memory = enough.states * (enough.bytes_per_state - less);
  const Verdict verdict = explore(scenario, limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_EQ(verdict.states, enough.states);
  EXPECT_THAT(verdict.reason, HasSubstr("of memory was reached"));
}

// --- by hand -------------------------------------------------------------------------------------

TEST(LeadsTo, IsNoQuestionForRandomRuns) {
  const RandomVerdict by_chance = search_at_random(setting({"1", "3"}), RandomSearch());
  EXPECT_EQ(by_chance.verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(by_chance.verdict.reason, HasSubstr("none shows whether somebody waits for ever"));
  // Nobody has asked whether "1" ever holds, so nobody says that it does not.
  EXPECT_TRUE(by_chance.verdict.goals.empty());
}

TEST(LeadsTo, IsPlayedWithHints) {
  Scenario scenario = setting({"1", "3"});
  Game game(scenario, explore(scenario));
  EXPECT_THAT(game.goals().front(), HasSubstr("make its first condition true"));
  std::size_t moves = 0;
  while (game.standing() == Game::Standing::open && moves < 10) {
    const Advice advice = game.advice();
    ASSERT_EQ(advice.outcome, Outcome::violated) << advice.reason;
    ASSERT_TRUE(advice.next) << moves;
    ASSERT_TRUE(game.play(advice.next->key));
    ++moves;
  }
  EXPECT_EQ(game.standing(), Game::Standing::won);
  EXPECT_EQ(violated_property(game.run()), "1 leads to 2");
}

TEST(LeadsTo, AHintKnowsWhatIsOwedAlready) {
  // Nothing after the first step satisfies `from`.
  Scenario scenario = setting({"1", "3", "4", "5"});
  Simulation simulation(scenario);
  while (simulation.now().find("n") == nullptr || simulation.now().find("n")->value != "3") {
    ASSERT_TRUE(simulation.take(simulation.choices().front().code));
  }
  const WayOn way = simulation.shortest_violation();
  EXPECT_EQ(way.outcome, Outcome::violated);
  EXPECT_EQ(way.property, "1 leads to 2");
}

Task<void> holds_for_a_while(Client& me) {
  me.enter("lock", FencingToken(), me.time().now() + std::chrono::milliseconds{1500});
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(Key("n")));
  }
}

// With more instants than two, the belief of a client that begins late would end.
TEST(LeadsTo, ABeliefThatEndsLaterIsUndecidedWhereTimeEnds) {
  Scenario scenario("beliefs");
  scenario.clients(2, holds_for_a_while).instants(2);
  const auto holds = [](const Snapshot& world) { return !world.clients[0].inside.empty(); };
  const auto does_not = [holds](const Snapshot& world) { return !holds(world); };
  scenario.require(lease_exclusion("lock", 2)).require(leads_to("it ends", holds, does_not));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict) << describe(verdict.run);
  EXPECT_THAT(verdict.reason, HasSubstr("time ends while"));
}

TEST(LeadsTo, ALoopThatOwesNothingBreaksNothing) {
  Simulation simulation(setting({"1", "2"}));
  while (!simulation.choices().empty()) {
    ASSERT_TRUE(simulation.take(simulation.choices().front().code));
  }
  const Result<std::string> closed = simulation.close_loop(simulation.run().steps.size());
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().detail(),
            "nobody waits for ever in this loop, and nothing that a property leads to is still to "
            "come");
}

TEST(LeadsTo, ALoopThatComesByBreaksNothing) {
  Simulation simulation(setting({"|", "1", "2"}));
  const auto take = [&](const std::string& what) {
    for (const RunStep& step : simulation.choices()) {
      if (step.delivered && step.what == what) return simulation.take(step.code).has_value();
    }
    return false;
  };
  ASSERT_TRUE(take("SET n 1"));
  ASSERT_TRUE(take("SET n 2"));
  ASSERT_TRUE(take("SET n 1"));
  EXPECT_FALSE(simulation.close_loop(1));
}

}  // namespace
}  // namespace interlock::sim
