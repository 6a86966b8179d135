// What the predicate of always() is shown, and what becomes of a predicate that does not answer by
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/thread_team.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// --- what others need not ask for ----------------------------------------------------------------

Task<void> numbers_its_write(Client& me) {
  const Result<std::int64_t> number = co_await me.store().increment(Key("number"));
  if (!number) co_return;
  static_cast<void>(co_await me.write("disk", FencingToken(static_cast<std::uint64_t>(*number))));
}
Scenario numbering(const Property& property) {
  Scenario scenario("numbers");
  return scenario.clients(2, numbers_its_write).require(property);
}
bool some_resource(const Snapshot& world, bool (*is_so)(const ResourceView&)) {
  return std::any_of(world.resources.begin(), world.resources.end(), is_so);
}
bool b_has_not_written(const Snapshot& world) {
  return !some_resource(world, [](const ResourceView& disk) { return disk.last_writer == "B"; });
}
bool no_second_token(const Snapshot& world) {
  return !some_resource(world, [](const ResourceView& disk) { return disk.greatest_fencing > 1; });
}

TEST(Predicates, SeeWhoHasWrittenToAResourceThatNoOtherPropertyNames) {
  for (const auto holds : {b_has_not_written, no_second_token}) {
    const Scenario alone = numbering(always("unwritten", holds));
    const Verdict verdict = explore(alone);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    Scenario named = alone;
    EXPECT_EQ(explore(named.require(fenced_writes("disk"))).run.steps.size(),
              verdict.run.steps.size());
    EXPECT_EQ(search_at_random(alone, RandomSearch()).verdict.outcome, Outcome::violated);
  }
}

Task<void> wants_once(Client& me) {
  me.wants("lock");
  const std::string value = "1";
  static_cast<void>(co_await me.store().set_if_absent(Key("lock"), value));
  me.gives_up("lock");
  static_cast<void>(co_await me.store().get(Key("lock")));
}
bool only_one_wants(const Snapshot& world) {
  return std::count_if(world.clients.begin(), world.clients.end(),
                       [](const ClientView& client) { return !client.wants.empty(); }) < 2;
}

TEST(Predicates, SeeWhoWantsALockThatNoOtherPropertyNames) {
  Scenario scenario("wants");
  scenario.clients(2, wants_once).require(always("only one wants it", only_one_wants));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 2U) << describe(verdict.run);
  EXPECT_EQ(search_at_random(scenario, RandomSearch()).verdict.outcome, Outcome::violated);
}

// --- the time, where it has no end ---------------------------------------------------------------

Task<void> sleeps_and_enters(Client& me) {
  const TimePoint until = me.time().now() + std::chrono::seconds{5};
  co_await me.time().sleep_until(until);
  me.enter("lock");
  co_await me.leave("lock");
}
Task<void> never_ends(Client& me) {
  for (;;) {
    co_await me.loop_head();
    const TimePoint until = me.time().now() + std::chrono::seconds{1};
    co_await me.time().sleep_until(until);
  }
}
bool nobody_enters_late(const Snapshot& world) {
  return world.time <= std::chrono::seconds{3} || world.clients.front().inside.empty();
}
bool it_is_early(const Snapshot& world) {
  return world.time < std::chrono::seconds{5};
}
// None of the times at which predicates are asked first.
bool nobody_is_inside_in_odd_seconds(const Snapshot& world) {
  return world.time % std::chrono::seconds{2} == Duration::zero() ||
         world.clients.front().inside.empty();
}
Scenario timed(const Program& program, const Property& property) {
  Scenario scenario("timed");
  return scenario.client(program).instants(8).allow_deadlock().require(property);
}

TEST(Predicates, AskForTheTimeWhereItHasAnEnd) {
  for (const Scenario& scenario :
       {timed(sleeps_and_enters, always("in time", nobody_enters_late)),
        timed(sleeps_and_enters, always("in time", nobody_is_inside_in_odd_seconds)),
        timed(never_ends, always("in time", it_is_early))}) {
    const Verdict bounded = explore(scenario);
    EXPECT_EQ(bounded.outcome, Outcome::violated) << describe(bounded);

    Scenario endless = scenario;
    endless.time_without_end();
    const std::string wanted =
        "time has no end, and the predicate of 'in time' needs to know the time";
    const Verdict verdict = explore(endless);
    EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
    EXPECT_THAT(verdict.reason, AllOf(StartsWith(wanted), HasSubstr("bound the instants")));
    const RandomVerdict by_chance = search_at_random(endless, RandomSearch());
    EXPECT_EQ(by_chance.verdict.outcome, Outcome::incomplete);
    EXPECT_THAT(by_chance.verdict.reason, StartsWith(wanted));
    EXPECT_EQ(Simulation(endless).shortest_violation().outcome, Outcome::incomplete);
  }
}

bool may_be_there(const Snapshot& world) {
  return world.find("k") == nullptr || world.find("k")->value == "1";
}

TEST(Predicates, ThatDoNotAskForTheTimeAreTrustedNotTo) {
  const Scenario scenario = timed(never_ends, always("it is 1", may_be_there));
  EXPECT_THAT(explore(scenario).trusts, Not(Contains(HasSubstr("time"))));
  Scenario endless = scenario;
  const Verdict verdict = explore(endless.time_without_end());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_THAT(verdict.trusts, Contains("'it is 1' does not ask for the time"));
}

// --- those that remember -------------------------------------------------------------------------

Task<void> counts_up(Client& me) {
  for (const char* const value : {"1", "2"}) {
    const std::string next = value;
    static_cast<void>(co_await me.store().set(Key("count"), next));
  }
}
// Right of a program that only counts up, were it asked along one run.
Property never_falls() {
  return always("the count never falls", [last = std::make_shared<int>(0)](const Snapshot& world) {
    const KeyView* const count = world.find("count");
    const int is = count == nullptr ? 0 : std::stoi(count->value);
    const bool holds = is >= *last;
    *last = is;
    return holds;
  });
}
// Each state is asked about twice, the fourth by the seventh and eighth question.
std::function<Property()> broken_when_asked(int first, int last) {
  return [first, last] {
    return always("it holds", [asked = std::make_shared<int>(0), first, last](const Snapshot&) {
      ++*asked;
      return *asked < first || *asked > last;
    });
  };
}

Scenario counting(const Property& property) {
  Scenario scenario("counts");
  return scenario.clients(2, counts_up).require(property);
}
void expect_inconstant(Outcome outcome, const std::string& reason) {
  EXPECT_EQ(outcome, Outcome::invalid);
  EXPECT_THAT(reason,
              MatchesRegex("the predicate of '.*' answers differently when it is asked .*"));
}

TEST(Predicates, AreAskedTwiceAboutEachStateAndOnceMoreAtTheEnd) {
  std::uint64_t asked = 0;
  Scenario scenario = counting(always("counted", [&asked](const Snapshot&) {
    ++asked;
    return true;
  }));
  // With symmetry also about each arrangement of identical clients.
  const Verdict verdict = explore(scenario.symmetry(false));
  ASSERT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_EQ(asked, 3 * verdict.states);
}

TEST(Predicates, ThatRememberAreFoundOut) {
  constexpr int for_ever = 1'000'000;
  for (const std::function<Property()>& make :
       {std::function<Property()>(never_falls), broken_when_asked(7, for_ever),
        broken_when_asked(8, for_ever), broken_when_asked(7, 9)}) {
    const Verdict verdict = explore(counting(make()));
    expect_inconstant(verdict.outcome, verdict.reason);
    EXPECT_TRUE(verdict.run.empty());
    EXPECT_THAT(verdict.property, IsEmpty());

    ThreadTeam team(2);
    Limits limits;
    limits.team = &team;
    limits.team_from = 1;
    const Verdict by_two = explore(counting(make()), limits);
    expect_inconstant(by_two.outcome, by_two.reason);

    const RandomVerdict by_chance = search_at_random(counting(make()), RandomSearch());
    expect_inconstant(by_chance.verdict.outcome, by_chance.verdict.reason);
  }
}

// Takes the first choice again and again.
std::string why_it_ends_by_hand(const Property& property) {
  Simulation simulation(counting(property));
  for (;;) {
    const std::vector<RunStep> choices = simulation.choices();
    if (choices.empty()) return "it goes on to the end";
    const Result<RunStep> step = simulation.take(choices.front().code);
    if (step) continue;
    EXPECT_EQ(step.error().code(), Errc::rejected);
    return step.error().detail();
  }
}

TEST(Predicates, ThatRememberAreFoundOutByHand) {
  EXPECT_EQ(why_it_ends_by_hand(always("it holds", [](const Snapshot&) { return true; })),
            "it goes on to the end");
  for (const std::function<Property()>& make :
       {std::function<Property()>(never_falls), broken_when_asked(7, 1'000'000),
        broken_when_asked(8, 1'000'000), broken_when_asked(7, 8)}) {
    expect_inconstant(Outcome::invalid, why_it_ends_by_hand(make()));
  }
}

TEST(Predicates, ThatRememberAreFoundOutFromTheMiddleOfARun) {
  for (const int asked : {7, 8}) {
    Simulation simulation(counting(broken_when_asked(asked, 1'000'000)()));
    const WayOn way = simulation.shortest_violation();
    expect_inconstant(way.outcome, way.reason);
  }
}

}  // namespace
}  // namespace interlock::sim
