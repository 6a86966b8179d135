// Ghost variables (Client::note): what they cost, what they distinguish, and who sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Property true_of_all() {
  return always("all is well", [](const Snapshot&) { return true; });
}

// `noted`: the value in each round; none: it notes nothing.
Task<void> writes_thrice(Client& me, std::function<std::int64_t(int)> noted) {
  for (int round = 0; round < 3; ++round) {
    const std::string value = "1";
    static_cast<void>(co_await me.store().set(Key("k"), value));
    if (noted) me.note("round", noted(round));
  }
}
Verdict search_of_rounds(const std::function<std::int64_t(int)>& noted) {
  Scenario scenario("rounds");
  scenario.clients(2, [noted](Client& me) { return writes_thrice(me, noted); });
  return explore(scenario.require(true_of_all()));
}

TEST(Ghosts, CostNoStepAndNoState) {
  const Verdict without = search_of_rounds(nullptr);
  const Verdict with = search_of_rounds([](int round) { return round + 1; });
  ASSERT_EQ(with.outcome, Outcome::proved) << describe(with);
  EXPECT_EQ(with.states, without.states);
  EXPECT_EQ(with.transitions, without.transitions);
  EXPECT_EQ(with.depth, without.depth);
}

Task<void> forgets_its_choice(Client& me, std::uint64_t noted_of) {
  const std::uint64_t chosen = me.choose(2);
  me.note("chosen", static_cast<std::int64_t>(chosen % noted_of));
  co_await me.loop_head();
  const std::string value = "1";
  static_cast<void>(co_await me.store().set(Key("k"), value));
}
std::uint64_t states_of_choice(std::uint64_t noted_of) {
  Scenario scenario("choice");
  scenario.client([noted_of](Client& me) { return forgets_its_choice(me, noted_of); });
  const Verdict verdict = explore(scenario.require(true_of_all()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  return verdict.states;
}

TEST(Ghosts, DistinguishStatesOnlyByTheirValues) {
  EXPECT_LT(states_of_choice(1), states_of_choice(2));
}

Task<void> notes_its_number(Client& me) {
  const Result<std::int64_t> number = co_await me.store().increment(Key("number"));
  if (number) me.note("number", *number);
}
Scenario numbered(const Property& property) {
  Scenario scenario("numbered");
  return scenario.clients(3, notes_its_number).require(property);
}
Property second_is_not(std::size_t client) {
  return always("it is not the second", [client](const Snapshot& world) {
    return world.clients[client].ghost("number") != 2 || world.sum_of_ghosts("number") < 3;
  });
}

TEST(Ghosts, AreThoseOfEachOfIdenticalClients) {
  for (std::size_t client = 0; client < 3; ++client) {
    Scenario scenario = numbered(second_is_not(client));
    const Verdict merged = explore(scenario);
    ASSERT_EQ(merged.outcome, Outcome::violated) << describe(merged);
    EXPECT_EQ(merged.run.steps.back().client, client);
    EXPECT_EQ(merged.run.steps.size(), explore(scenario.symmetry(false)).run.steps.size());
  }
}

TEST(Ghosts, AreMergedWithTheClientsThatHaveThem) {
  const Verdict merged = explore(numbered(true_of_all()));
  Scenario scenario = numbered(true_of_all());
  const Verdict apart = explore(scenario.symmetry(false));
  ASSERT_EQ(merged.outcome, Outcome::proved) << describe(merged);
  EXPECT_LT(merged.states * 4, apart.states);
}

TEST(Ghosts, StayWhenTheirClientHasCrashed) {
  Scenario scenario = numbered(always("the dead noted nothing", [](const Snapshot& world) {
    const ClientView& first = world.clients.front();
    return first.status != ClientView::Status::crashed || !first.ghost("number");
  }));
  const Verdict verdict = explore(scenario.faults(FaultBudget().allow(Fault::crash)));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << "it has ended when it has noted";

  Scenario longer("longer");
  longer.client([](Client& me) { return writes_thrice(me, [](int) { return 1; }); });
  longer.faults(FaultBudget().allow(Fault::crash));
  longer.require(always("the dead noted nothing", [](const Snapshot& world) {
    const ClientView& first = world.clients.front();
    return first.status != ClientView::Status::crashed || !first.ghost("round");
  }));
  EXPECT_EQ(explore(longer).outcome, Outcome::violated);
}

// --- loops, and time without end -----------------------------------------------------------------

Task<void> sleeps_for_ever(Client& me, std::function<std::int64_t(int, TimePoint)> noted) {
  for (int round = 0;; ++round) {
    co_await me.loop_head();
    const TimePoint now = me.time().now();
    me.note("value", noted(round, now));
    const TimePoint until = now + std::chrono::seconds{1};
    co_await me.time().sleep_until(until);
  }
}
Scenario sleeping(const std::function<std::int64_t(int, TimePoint)>& noted) {
  Scenario scenario("sleeps");
  scenario.client([noted](Client& me) { return sleeps_for_ever(me, noted); });
  return scenario.instants(4).require(true_of_all());
}

TEST(Ghosts, MayBeSetAgainAndAgainWhereTimeHasNoEnd) {
  Scenario scenario = sleeping([](int, TimePoint) { return 7; });
  const Verdict verdict = explore(scenario.time_without_end());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(Ghosts, MustNotHoldWhatTimeItIsWhereTimeHasNoEnd) {
  const auto now_in_ticks = [](int, TimePoint now) {
    return static_cast<std::int64_t>(now.time_since_epoch().count());
  };
  EXPECT_EQ(explore(sleeping(now_in_ticks)).outcome, Outcome::proved);
  Scenario endless = sleeping(now_in_ticks);
  const Verdict verdict = explore(endless.time_without_end());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("time has no end"));
}

TEST(Ghosts, ThatALoopHeadHidesAreFound) {
  const Verdict verdict = explore(sleeping([](int round, TimePoint) { return round; }));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
}

// --- liveness ------------------------------------------------------------------------------------

Task<void> spins(Client& me, bool notes) {
  me.wants("lock");
  for (;;) {
    co_await me.loop_head();
    const std::string value = "1";
    const Result<bool> mine = co_await me.store().set_if_absent(Key("lock"), value);
    if (notes) me.note("asked", 1);
    if (mine && *mine) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Ghosts, ChangeNothingAboutLiveness) {
  std::size_t lengths[2] = {};
  for (const bool notes : {false, true}) {
    Scenario scenario("spins");
    scenario.clients(2, [notes](Client& me) { return spins(me, notes); });
    const Verdict verdict = explore(scenario.require(every_waiter_acquires("lock")));
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    EXPECT_TRUE(verdict.run.loop);
    lengths[notes ? 1 : 0] = *verdict.run.loop;
  }
  EXPECT_EQ(lengths[0], lengths[1]);
}

// --- who sees them -------------------------------------------------------------------------------

TEST(Ghosts, AreSeenByRandomRunsAndReplays) {
  const Scenario scenario = numbered(second_is_not(1));
  const RandomVerdict by_chance = search_at_random(scenario, RandomSearch());
  EXPECT_EQ(by_chance.verdict.outcome, Outcome::violated);
  const Verdict verdict = explore(scenario);
  const auto brief = parse_short(print_short(verdict.run));
  ASSERT_TRUE(brief);
  const Result<sim::Run> again = replay(scenario, *brief);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(verdict.run));
  EXPECT_EQ(again->steps.back().after.clients[1].ghost("number"), 2);
}

TEST(Ghosts, AreDrawn) {
  const Verdict verdict = explore(numbered(second_is_not(1)));
  const sim::Run& run = verdict.run;
  EXPECT_THAT(describe(run), HasSubstr("notes number = 1"));
  EXPECT_THAT(draw_text(run), HasSubstr("number=1"));
  EXPECT_THAT(draw_html(run), HasSubstr("number = 1"));
  EXPECT_THAT(draw_html(run), HasSubstr("ghost variables"));
  EXPECT_THAT(draw_svg(run), HasSubstr("number=1"));
  EXPECT_THAT(to_json(run), HasSubstr(R"("ghosts":[{"name":"number","value":"1"}])"));
}

TEST(Ghosts, ThatNobodySetsAreNotDrawn) {
  Scenario scenario("writes");
  scenario.client([](Client& me) { return writes_thrice(me, nullptr); });
  scenario.require(always("no key", [](const Snapshot& world) { return world.keys.empty(); }));
  const sim::Run run = explore(scenario).run;
  ASSERT_FALSE(run.empty());
  EXPECT_THAT(to_json(run), Not(HasSubstr("ghost")));
  EXPECT_THAT(draw_html(run), Not(HasSubstr("ghost")));
}

TEST(Ghosts, AndNumbersOfKeysAreReadFromASnapshot) {
  Snapshot world;
  world.clients.resize(2);
  world.clients[0].ghosts.push_back(GhostView{"n", 3});
  world.clients[1].ghosts.push_back(GhostView{"n", -1});
  EXPECT_EQ(world.sum_of_ghosts("n"), 2);
  EXPECT_EQ(world.sum_of_ghosts("m"), 0);
  EXPECT_EQ(world.clients[0].ghost("m"), std::nullopt);
  world.keys.push_back(KeyView{0, "k", "12", {}});
  world.keys.push_back(KeyView{0, "text", "12a", {}});
  EXPECT_EQ(world.number("k"), 12);
  EXPECT_EQ(world.number("text"), std::nullopt);
  EXPECT_EQ(world.number("none"), std::nullopt);
}

}  // namespace
}  // namespace interlock::sim
