#include "interlock/sim/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/violation.hpp"
#include "interlock/store/script.hpp"
#include "random_walk.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;

Scenario broken() {
  return stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1);
}

// As short as any: see StampLockSearch.
sim::Run shortest() {
  ShortSchedule schedule;
  schedule.steps = "11221122";
  return *replay(broken(), schedule);
}

Scenario any_scenario() {
  FaultBudget faults = FaultBudget::any(3);
  if (*rc::gen::arbitrary<bool>()) faults.pauses(2).at_most(4);
  if (*rc::gen::arbitrary<bool>()) {
    Scenario scenario = stamp_lock_scenario(TakeOver::getset, 3, 2, 3);
    scenario.faults(faults);
    return scenario;
  }
  catalogue::LeaseClientOptions options;
  options.renews = *rc::gen::arbitrary<bool>();
  Scenario scenario = catalogue::lease_lock_scenario(2, options, 4);
  scenario.faults(faults);
  return scenario;
}

std::size_t draw(std::size_t bound) {
  return *rc::gen::inRange<std::size_t>(0, bound);
}

std::vector<std::uint32_t> codes(const sim::Run& run) {
  std::vector<std::uint32_t> all;
  for (const RunStep& step : run.steps) all.push_back(step.code);
  return all;
}

TEST(ScheduleText, SaysTheRaceInWords) {
  const sim::Run run = shortest();
  const Schedule schedule = make_schedule(run, {{"clients", "2"}, {"attempts", "1"}});
  EXPECT_EQ("\n" + print(schedule), R"(
interlock-schedule 1
scenario del-setnx-lock
clients 2
attempts 1
expect violated "mutual exclusion of lock.foo" at 8

A SETNX lock.foo 103 -> 0
A GET lock.foo -> "50"
B SETNX lock.foo 103 -> 0
B GET lock.foo -> "50"
A DEL lock.foo -> 1
A SETNX lock.foo 103 -> 1
B DEL lock.foo -> 1
B SETNX lock.foo 103 -> 1
)");
  EXPECT_EQ(print_short(run), "del-setnx-lock:11221122");
}

TEST(ScheduleText, IsReplayedStepByStep) {
  const sim::Run run = shortest();
  const Result<Schedule> parsed = parse_schedule(print(make_schedule(run)));
  ASSERT_TRUE(parsed) << parsed.error().detail();
  const Result<sim::Run> again = replay(broken(), *parsed);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(codes(*again), codes(run));
}

TEST(ScheduleText, TheFirstStepThatDoesNotFitIsNamed) {
  Schedule schedule = make_schedule(shortest());
  const auto failure = [&schedule] {
    const Result<sim::Run> result = replay(broken(), schedule);
    return result ? std::string("replayed") : result.error().detail();
  };
  const std::vector<ScheduleStep> good = schedule.steps;
  schedule.steps[3].action = "GETSET lock.foo 103";
  EXPECT_EQ(failure(), "step 4: the file says B GETSET lock.foo 103, B is at GET lock.foo");
  schedule.steps = good;
  schedule.steps[3].reply = "\"51\"";
  EXPECT_EQ(failure(), "step 4: the file says B GET lock.foo -> \"51\", but the answer is \"50\"");
  schedule.steps = good;
  schedule.steps[3].mover = "Q";
  EXPECT_EQ(failure(), "step 4: the file says Q GET lock.foo, but there is no client of that name");
  schedule.steps = good;
  schedule.steps[3].mover = "world";
  schedule.steps[3].action = "fault restart";
  EXPECT_EQ(failure(), "step 4: the file says world fault restart, which is not possible here");
  schedule.steps = good;
  schedule.violated = "no orphan of lock.foo";
  EXPECT_EQ(failure(),
            "the file expects step 8 to violate 'no orphan of lock.foo'; step 8 violates 'mutual "
            "exclusion of lock.foo'");
  schedule.violated.clear();
  EXPECT_EQ(failure(),
            "the file expects that nothing is violated; step 8 violates 'mutual exclusion of "
            "lock.foo'");
  schedule.violated = "mutual exclusion of lock.foo";
  schedule.length = 7;
  EXPECT_EQ(failure(),
            "the file expects step 7 to violate 'mutual exclusion of lock.foo'; step 8 violates "
            "'mutual exclusion of lock.foo'");
}

// A leaves, and tells the store: what follows a violation takes nothing back.
TEST(ScheduleText, ARunThatGoesOnBehindItsViolationIsOne) {
  ShortSchedule brief;
  brief.steps = "1221112211";
  const Result<sim::Run> run = replay(broken(), brief);
  ASSERT_TRUE(run) << run.error().detail();
  EXPECT_TRUE(run->steps.back().violates.empty()) << describe(*run);
  EXPECT_EQ(violating_step(*run), std::size_t{7});
  EXPECT_EQ(violated_property(*run), "mutual exclusion of lock.foo");
  const std::string text = print(make_schedule(*run));
  EXPECT_NE(text.find("\nexpect violated \"mutual exclusion of lock.foo\" at 8\n"), text.npos)
      << text;
  const Result<Schedule> parsed = parse_schedule(text);
  ASSERT_TRUE(parsed) << parsed.error().detail();
  EXPECT_EQ(parsed->steps.size(), 10U);
  EXPECT_TRUE(replay(broken(), *parsed));
  EXPECT_EQ(shorten(broken(), *run).steps.size(), 8U);
}

TEST(ScheduleText, WhatFollowsAViolationIsNoLoop) {
  ShortSchedule brief;
  brief.steps = "11221122()";
  const Result<sim::Run> run = replay(broken(), brief);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().detail(),
            "step 8 violates 'mutual exclusion of lock.foo': what follows is not asked whether it "
            "goes on for ever; end the run there");
}

// Each damage of each line gives one error that names a line, and never a crash or a success.
TEST(ScheduleText, ADamagedLineAnywhereIsFound) {
  const std::string good = print(make_schedule(shortest(), {{"clients", "2"}}));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < good.size();) {
    const std::size_t end = good.find('\n', at);
    lines.push_back(good.substr(at, end - at));
    at = end + 1;
  }
  const auto check = [&](std::size_t damaged, const std::string& with) {
    std::string text;
    for (std::size_t at = 0; at < lines.size(); ++at) {
      text += (at == damaged ? with : lines[at] + "\n");
    }
    const Result<Schedule> parsed = parse_schedule(text);
    std::string message;
    if (!parsed) {
      message = parsed.error().detail();
    } else if (parsed->scenario != "del-setnx-lock" || parsed->options.size() != 1 ||
               parsed->options[0].second != "2") {
      return;  // a line that is refused later, when the scenario is built
    } else {
      const Result<sim::Run> replayed = replay(broken(), *parsed);
      ASSERT_FALSE(replayed) << "not found in\n" << text;
      message = replayed.error().detail();
    }
    EXPECT_EQ(message.substr(0, 5), "line ") << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 300U) << message;
  };
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string& line = lines[at];
    if (line.empty()) continue;
    check(at, "");
    check(at, line + "\n" + line + "\n");
    check(at, line.substr(0, line.size() / 2) + "\n");
    check(at, "x" + line + "\n");
    check(at, line + "x\n");
    check(at, line + " \\q\n");
    check(at, std::string("\x01\xff\n"));
    for (std::size_t byte = 0; byte < line.size(); ++byte) {
      std::string other = line;
      other[byte] = other[byte] == '~' ? '!' : '~';
      check(at, other + "\n");
      other.erase(byte, 1);
      // A space before or after a word may go where two stood.
      if (other != line) check(at, other + "\n");
    }
  }
}

TEST(ScheduleText, MessagesNameTheLineAndWhatWasExpected) {
  const auto message = [](const char* text) {
    const Result<Schedule> parsed = parse_schedule(text);
    return parsed ? std::string("parsed") : parsed.error().detail();
  };
  EXPECT_EQ(message(""),
            "line 1: the file says nothing; expected 'interlock-schedule 1': this is no schedule");
  EXPECT_EQ(message("interlock-schedule 2\n"),
            "line 1: 'interlock-schedule 2': this program reads version 1 of schedules");
  EXPECT_EQ(message("# a comment\n\ninterlock-schedule 1\nsenario x\n"),
            "line 4: expected 'scenario NAME', found 'senario x'");
  EXPECT_EQ(message("interlock-schedule 1\nscenario x\nexpect ok after 1\nA jumps\n"),
            "line 4: expected 'CLIENT COMMAND [-> REPLY]' or 'world COMMAND', found 'A jumps'");
  EXPECT_EQ(message("interlock-schedule 1\nscenario x\nexpect ok after 2\nA GET k\n"),
            "line 3: the file says that there are 2 steps, but has 1: some are missing, or too "
            "many");
  EXPECT_EQ(message("interlock-schedule 1\nscenario x\nexpect violated \"y\" at 2\nA GET k\n"),
            "line 3: the file says that step 2 violates something, but the steps that it has are "
            "1: some are missing");
  EXPECT_EQ(message("interlock-schedule 1\nscenario x\nclients 2\nclients 3\nexpect ok after 0\n"),
            "line 4: 'clients' is said a second time");
  EXPECT_EQ(message("interlock-schedule 1\nscenario x\nexpect ok after 1\nstuck\nA GET k\n"),
            "line 4: 'stuck' is the end, but steps follow it");
}

RC_GTEST_PROP(ScheduleText, AnyTextRoundTrips, ()) {
  Schedule schedule;
  const auto text = [] {
    return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::oneOf(
        rc::gen::arbitrary<char>(), rc::gen::element(' ', '-', '>', '\\', '\n', '"', '#'))));
  };
  schedule.scenario = text();
  if (*rc::gen::arbitrary<bool>()) schedule.options.emplace_back("faults", text());
  if (*rc::gen::arbitrary<bool>()) schedule.violated = text();
  for (std::size_t count = draw(5); count > 0; --count) {
    ScheduleStep step;
    step.mover = text();
    step.action = "SETNX " + text();
    if (*rc::gen::arbitrary<bool>()) step.reply = text();
    schedule.steps.push_back(step);
  }
  schedule.length = schedule.steps.size();
  if (!schedule.violated.empty()) schedule.length = draw(schedule.steps.size() + 1);
  const Result<Schedule> parsed = parse_schedule(print(schedule));
  if (!parsed) RC_FAIL(parsed.error().detail() + "\n" + print(schedule));
  RC_ASSERT(*parsed == schedule);
}

RC_GTEST_PROP(ScheduleText, AnyRunWithAnyFaultsIsReplayed, ()) {
  const Scenario scenario = any_scenario();
  Simulation simulation(scenario);
  const sim::Run run = testing::walk(simulation, 25, draw);
  const Result<Schedule> parsed = parse_schedule(print(make_schedule(run)));
  if (!parsed) RC_FAIL(parsed.error().detail());
  const Result<sim::Run> again = replay(scenario, *parsed);
  if (!again) RC_FAIL(again.error().detail() + "\n" + print(make_schedule(run)));
  RC_ASSERT(codes(*again) == codes(run));

  const Result<ShortSchedule> brief = parse_short(print_short(run));
  if (!brief) RC_FAIL(brief.error().detail());
  const Result<sim::Run> third = replay(scenario, *brief);
  if (!third) RC_FAIL(third.error().detail() + "\n" + print_short(run));
  RC_ASSERT(codes(*third) == codes(run));
}

// Otherwise a replay might take another step than the one that was meant.
RC_GTEST_PROP(ScheduleText, NoTwoPossibleStepsAreWrittenAlike, ()) {
  Simulation simulation(any_scenario());
  testing::walk(simulation, draw(12), draw);
  std::set<std::string> seen;
  for (const RunStep& step : simulation.choices()) {
    sim::Run run = simulation.run();
    run.steps.push_back(step);
    const ScheduleStep last = make_schedule(run).steps.back();
    const std::string line = last.mover + " " + last.action + " -> " + last.reply;
    if (!seen.insert(line).second) RC_FAIL("twice: " + line + "\n" + describe(simulation.run()));
  }
}

// With all that describe() reads of an operation.
Operation operation_of(OperationKind kind) {
  static const Script script("script", "return 0", nullptr);
  Operation operation(kind, Key("k"));
  operation.ttl = milliseconds{1};
  operation.script = &script;
  return operation;
}

TEST(ScheduleText, HasAStepOfEachKindOfOperation) {
  const auto parsed = [](const std::string& action) {
    const std::string head = "interlock-schedule 1\nscenario any\nexpect ok after 1\n\n";
    return parse_schedule(head + "A " + action + "\n");
  };
  ASSERT_FALSE(parsed("unknown k"));
  for (int number = 0; number < 256; ++number) {
    const auto kind = static_cast<OperationKind>(number);
    if (to_string(kind) == "unknown") break;
    const Result<Schedule> schedule = parsed(describe(operation_of(kind)));
    EXPECT_TRUE(schedule) << to_string(kind)
                          << ": action_words lacks its word: " << schedule.error().detail();
  }
}

TEST(ShortSchedule, SaysWhatIsWrong) {
  const auto message = [](const char* text) {
    const Result<ShortSchedule> parsed = parse_short(text);
    if (!parsed) return parsed.error().detail();
    const Result<sim::Run> run = replay(broken(), *parsed);
    return run ? "replayed " + std::to_string(run->steps.size()) : run.error().detail();
  };
  EXPECT_EQ(message("del-setnx-lock:1122"), "replayed 4");
  EXPECT_EQ(message("del-setnx-lock"),
            "reading the schedule 'del-setnx-lock': it has no colon: write NAME:STEPS, for example "
            "del-setnx-lock:11221122");
  EXPECT_EQ(message("x,clients:1"),
            "reading the schedule 'x,clients:1': 'clients' is no option: write NAME:STEPS, for "
            "example del-setnx-lock:11221122");
  EXPECT_EQ(
      message("x,clients=1,clients=2:1"),
      "reading the schedule 'x,clients=1,clients=2:1': 'clients' is said a second time: write "
      "NAME:STEPS, for example del-setnx-lock:11221122");
  EXPECT_EQ(message("del-setnx-lock:11?"), "step 3: '?' is no step");
  EXPECT_EQ(message("del-setnx-lock:113"),
            "step 3: '3' is not possible here: choose one of A DEL lock.foo -> 1, B SETNX lock.foo "
            "103 -> 0");
}

TEST(ShortSchedule, KeepsOptions) {
  const Result<ShortSchedule> parsed =
      parse_short(print_short(shortest(), {{"clients", "2"}, {"faults", "2/crash,pause:3"}}));
  ASSERT_TRUE(parsed);
  const ScheduleOptions expected{{"clients", "2"}, {"faults", "2/crash,pause:3"}};
  EXPECT_EQ(parsed->options, expected);
}

Task<void> sets_the_same_twice(Client& me) {
  for (int round = 0; round < 2; ++round) {
    static_cast<void>(co_await me.store().set(Key("k"), "v"));
  }
}

TEST(ScheduleText, SaysWhichOfTwoEqualCopiesArrives) {
  Scenario scenario("the same twice");
  scenario.client(sets_the_same_twice).require(owner_only("k"));
  scenario.faults(FaultBudget().allow(Fault::late_execution, 2));
  Simulation simulation(scenario);
  for (int step = 0; step < 3; ++step) {
    const std::vector<RunStep> choices = simulation.choices();
    const auto late = std::find_if(choices.begin(), choices.end(), [&](const RunStep& one) {
      return step < 2 ? one.fault == Fault::late_execution : one.code == choices.back().code;
    });
    ASSERT_NE(late, choices.end());
    ASSERT_TRUE(simulation.take(late->code).has_value());
  }
  const std::string text = print(make_schedule(simulation.run()));
  EXPECT_NE(text.find("copy 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace interlock::sim
