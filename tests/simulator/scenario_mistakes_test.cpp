// Every kind of search reports an author's mistake in a scenario, and none ends the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Task<void> takes(Client& me) {
  const std::string value = "1";
  static_cast<void>(co_await me.store().set_if_absent(Key("lock"), value));
}

Scenario sound() {
  Scenario scenario("sound");
  scenario.clients(2, takes).require(owner_only("lock"));
  return scenario;
}

void expect_told(const std::function<void(Scenario&)>& mistake, const std::string& what) {
  Scenario scenario = sound();
  mistake(scenario);
  EXPECT_THAT(scenario.mistake(), HasSubstr(what));

  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr(what));

  const RandomVerdict by_chance = search_at_random(scenario, RandomSearch());
  EXPECT_EQ(by_chance.verdict.outcome, Outcome::invalid);
  EXPECT_THAT(by_chance.verdict.reason, HasSubstr(what));
  EXPECT_EQ(by_chance.runs, 0U);

  Simulation simulation(scenario);
  EXPECT_THAT(simulation.choices(), IsEmpty());
  const Result<RunStep> step = simulation.take(0);
  ASSERT_FALSE(step);
  EXPECT_THAT(step.error().detail(), HasSubstr(what));
  EXPECT_EQ(simulation.shortest_violation().outcome, Outcome::invalid);
  EXPECT_TRUE(run_of_choices(scenario, {1, 2, 3}).empty());
}

TEST(ScenarioMistake, IsNoneInASoundOne) {
  EXPECT_THAT(sound().mistake(), IsEmpty());
  EXPECT_EQ(explore(sound()).outcome, Outcome::proved);
}

TEST(ScenarioMistake, InItsName) {
  for (const char* const name :
       {"one,two", "one:two", "one=two", "one\ntwo", "one\x7f", " one", "one ", "one\t"}) {
    expect_told([name](Scenario& it) { it.named(name); }, "write printable characters but ',', ");
  }
  expect_told([](Scenario& it) { it.named("one\ntwo"); }, "the scenario's name is 'one\\x0atwo': ");
  for (const char* const name : {"x", "one two", "lease-lock/2", "(1) 100%", "schl\xc3\xbcssel"}) {
    EXPECT_THAT(sound().named(name).mistake(), IsEmpty()) << name;
  }
}

TEST(ScenarioMistake, IsNoneInANameThatIsLeftOut) {
  Scenario scenario("");
  scenario.clients(2, takes).require(never("nothing"));
  EXPECT_EQ(scenario.named("").name(), "unnamed");
  const sim::Run run = run_of_choices(scenario, {1, 2, 3});
  const Schedule schedule = make_schedule(run);
  EXPECT_EQ(*parse_schedule(print(schedule)), schedule);
  EXPECT_EQ(parse_short(print_short(run))->scenario, "unnamed");
}

TEST(ScenarioMistake, InItsClients) {
  expect_told([](Scenario& it) { it.clients(9, takes); }, "has 11 clients");
  expect_told([](Scenario& it) { it.client(nullptr); }, "client C has no program");
  expect_told([](Scenario& it) { it = Scenario("empty").require(owner_only("lock")); },
              "has no client");
}

TEST(ScenarioMistake, InItsServers) {
  expect_told([](Scenario& it) { it.servers(9); }, "number of servers is 9: write 1 to 5");
  expect_told([](Scenario& it) { it.servers(0); }, "number of servers is 0: write 1 to 5");
  expect_told([](Scenario& it) { it.servers(2).initially(Key("k"), Entry("1"), 2); },
              "'k' lies on server 2, and servers are counted from 0 to 1");
}

TEST(ScenarioMistake, IsNoneIfServersAreToldAfterTheirKeys) {
  Scenario scenario = sound();
  scenario.initially(Key("k"), Entry("1"), 2).servers(3);
  EXPECT_THAT(scenario.mistake(), IsEmpty());
}

TEST(ScenarioMistake, InItsTime) {
  expect_told([](Scenario& it) { it.instants(0); }, "number of instants is 0: write 1 to 10000");
  expect_told([](Scenario& it) { it.instants(10'001); }, "is 10001: write 1 to 10000");
  expect_told([](Scenario& it) { it.instants(2, seconds{0}); }, "instants are 0 ms apart");
  expect_told([](Scenario& it) { it.instants(2, seconds{-1}); }, "instants are -1000 ms apart");
  expect_told([](Scenario& it) { it.instants(2, Duration::max()); }, "span more than a century");
  expect_told([](Scenario& it) { it.clocks_start_at(seconds{-1}); }, "clocks start at -1000 ms");
  expect_told([](Scenario& it) { it.clocks_start_at(Duration::max()); }, "clocks start at");
}

TEST(ScenarioMistake, InTimeWithoutEnd) {
  expect_told([](Scenario& it) { it.time_without_end(seconds{101}); },
              "101000 ms is longer than 100 instants");
  expect_told([](Scenario& it) { it.time_without_end(seconds{-1}); }, "nothing is longer than -1");
  expect_told([](Scenario& it) { it.instants(2, Duration{500}).time_without_end(); },
              "not whole milliseconds apart");
  Scenario told_first = sound();
  told_first.time_without_end(seconds{101}).instants(2, seconds{2});
  EXPECT_THAT(told_first.mistake(), IsEmpty());
}

TEST(ScenarioMistake, InItsFaults) {
  expect_told([](Scenario& it) { it.faults(FaultBudget().allow(Fault::crash, 101)); },
              "the fault crash is allowed 101 times: write at most 100");
  expect_told(
      [](Scenario& it) {
        it.faults(FaultBudget().pauses(std::numeric_limits<std::size_t>::max()));
      },
      "the fault pause is allowed");
  const auto with_clock = [](int ahead) {
    Replica replica;
    replica.instants_ahead = ahead;
    return replica;
  };
  expect_told([&](Scenario& it) { it.replica(with_clock(2)); }, "2 instants ahead");
  expect_told([&](Scenario& it) { it.replica(with_clock(-2)); }, "-2 instants ahead");
  Replica far_behind;
  far_behind.missed_writes = 8;
  expect_told([&](Scenario& it) { it.replica(far_behind); },
              "the replica may have missed 8 writes: write at most 7");
}

TEST(ScenarioMistake, IsNoneInFaultsThatAreManyTogether) {
  FaultBudget budget;
  for (const Fault fault : {Fault::crash, Fault::drift, Fault::clock_back, Fault::clock_jump}) {
    budget.allow(fault, 100);
  }
  Scenario scenario = sound();
  scenario.faults(budget);
  EXPECT_THAT(scenario.mistake(), IsEmpty());
  EXPECT_EQ(budget.total(), 400U);
}

TEST(ScenarioMistake, InItsProperties) {
  expect_told([](Scenario& it) { it.require(always("nothing", nullptr)); },
              "'nothing' has no predicate");
  expect_told([](Scenario& it) { it.require(no_lost_wake_up("lock", seconds{-1})); },
              "within -1000 ms");
  expect_told(
      [](Scenario& it) {
        for (int number = 0; number < 65'535; ++number) {
          it.require(never(std::to_string(number)));
        }
      },
      "requires 65537 properties: write at most 65535");
}

bool holds(const Snapshot&) {
  return true;
}

// A verdict, a run and a schedule say by its name alone what is broken.
TEST(ScenarioMistake, InTheNamesOfItsProperties) {
  expect_told([](Scenario& it) { it.require(always("", holds)); },
              "a property (predicate) has no name");
  expect_told(
      [](Scenario& it) {
        it.require({PropertyKind::mutual_exclusion, "", "lock"});
      },
      "a property (mutual-exclusion) has no name");
  expect_told([](Scenario& it) { it.require(always("p", holds)).require(always("p", holds)); },
              "two properties are called 'p'");
  expect_told([](Scenario& it) { it.require(never("p")).require(always("never p", holds)); },
              "two properties are called 'never p'");
  expect_told(
      [](Scenario& it) {
        it.require(no_lost_wake_up("lock")).require(no_lost_wake_up("lock", seconds{1}));
      },
      "two properties are called 'no lost wake-up on lock'");
}

TEST(ScenarioMistake, IsNoneInAPropertyThatIsRequiredTwice) {
  Scenario scenario = sound();
  scenario.require(owner_only("lock"));
  EXPECT_THAT(scenario.mistake(), IsEmpty());
}

// Schedules escape what would break a line.
TEST(ScenarioMistake, IsNoneInANameThatASchedulesLineCannotHoldAsItIs) {
  for (const char* const name : {"\"quoted\"", "a\" at 3", "two\nlines", "back\\slash", " ", "\x7f",
                                 "-> 1", "schl\xc3\xbcssel"}) {
    Scenario scenario("names");
    scenario.client(takes).require(
        always(name, [](const Snapshot& world) { return world.keys.empty(); }));
    const Verdict verdict = explore(scenario);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    const Schedule schedule = make_schedule(verdict.run);
    EXPECT_EQ(schedule.violated, name);
    const Result<Schedule> parsed = parse_schedule(print(schedule));
    ASSERT_TRUE(parsed) << parsed.error().detail();
    EXPECT_EQ(*parsed, schedule);
    EXPECT_TRUE(replay(scenario, *parsed));
  }
}

}  // namespace
}  // namespace interlock::sim
