// Verdict::coverage: what some run of a search has executed, and what none has.
#include "interlock/sim/coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* lock = "lock";

// Takes the lock if it is free, and else looks who has it.
Task<void> takes_it_or_looks(Client& me) {
  me.wants(lock);
  const OwnerToken owner = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(Key(lock), owner.text());
  if (taken && *taken) {
    me.enter(lock);
    co_await me.leave(lock);
    static_cast<void>(co_await me.store().erase(Key(lock)));
    co_return;
  }
  me.gives_up(lock);
  static_cast<void>(co_await me.store().get(Key(lock)));
}

Task<void> gives_up(Client& me) {
  me.wants(lock);
  static_cast<void>(co_await me.store().get(Key(lock)));
  me.gives_up(lock);
}

Task<void> reads_twice(Client& me) {
  static_cast<void>(co_await me.store().get(Key(lock)));
  static_cast<void>(co_await me.store().set(Key(lock), "mine"));
  static_cast<void>(co_await me.store().get(Key(lock)));
}

Task<void> sleeps(Client& me, seconds how_long) {
  co_await me.time().sleep_until(me.time().now() + how_long);
}

Task<void> waits_for_a_message(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(Channel("bell"));
  if (!ear) co_return;
  static_cast<void>(co_await me.store().await_message(*ear, me.time().now() + seconds{1}));
}

Task<void> rings(Client& me) {
  static_cast<void>(co_await me.store().publish(Channel("bell"), "now"));
}

Task<void> writes_with(Client& me, std::uint64_t token) {
  static_cast<void>(co_await me.write("database", FencingToken(token)));
}

Task<void> reads_again_when_disturbed(Client& me) {
  const Result<std::optional<std::string>> first = co_await me.store().get(Key(lock));
  if (!first) static_cast<void>(co_await me.store().get(Key(lock)));
}

Scenario two_who_look() {
  Scenario scenario("looks");
  scenario.clients(2, takes_it_or_looks).require(mutual_exclusion(lock));
  return scenario;
}

Coverage covered(const Scenario& scenario) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  return verdict.coverage;
}

Coverage covered(Program program, FaultBudget faults = {}) {
  Scenario scenario("program");
  scenario.client(std::move(program)).instants(3).faults(faults).require(owner_only(lock));
  scenario.require(always("true", [](const Snapshot&) { return true; }));
  scenario.require_only({PropertyKind::predicate});
  return covered(scenario);
}

const CoveredOperation& named(const Coverage& coverage, const std::string& what) {
  for (const CoveredOperation& operation : coverage.operations) {
    if (operation.what == what) return operation;
  }
  ADD_FAILURE() << "no operation " << what;
  return coverage.operations.front();
}

std::vector<std::string> seen(const CoveredOperation& operation) {
  std::vector<std::string> names;
  for (const CoveredOutcome& outcome : operation.outcomes) {
    if (outcome.seen) names.push_back(outcome.name);
  }
  return names;
}

TEST(Coverage, NamesWhatNoRunHas) {
  const Coverage coverage = covered(two_who_look());
  ASSERT_EQ(coverage.operations.size(), 3U);
  EXPECT_THAT(coverage.operations[0].clients, ElementsAre("A", "B"));
  EXPECT_EQ(coverage.operations[0].what, "SETNX lock");
  EXPECT_THAT(seen(named(coverage, "SETNX lock")), ElementsAre("1", "0"));
  EXPECT_THAT(seen(named(coverage, "DEL lock")), ElementsAre("1"));
  EXPECT_THAT(seen(named(coverage, "GET lock")), ElementsAre("a value", "nil"));
  EXPECT_THAT(coverage.never(), ElementsAre("DEL lock→0"));
  EXPECT_EQ(coverage.outcomes(), 7U);
  EXPECT_EQ(coverage.seen(), 6U);
  EXPECT_EQ(coverage.never_in_words(3), "1 of 7 outcomes: DEL lock→0");
}

// Every run, step by step: no table is asked.
void all_answers(Simulation& world, std::set<std::string>& answers) {
  std::vector<std::uint32_t> codes;
  for (const RunStep& step : world.choices()) codes.push_back(step.code);
  std::vector<std::uint32_t> before;
  for (const RunStep& step : world.run().steps) before.push_back(step.code);
  for (const std::uint32_t code : codes) {
    world.restart();
    for (const std::uint32_t step : before) ASSERT_TRUE(world.take(step));
    const Result<RunStep> step = world.take(code);
    ASSERT_TRUE(step);
    if (step->operation && step->delivered) {
      const std::string answer = step->reply.front() == '"' ? "a value" : step->reply;
      answers.insert(step->what.substr(0, step->what.find(' ')) + "→" + answer);
    }
    all_answers(world, answers);
  }
}

TEST(Coverage, HasTheAnswersOfAllRunsAndNoOthers) {
  Simulation world(two_who_look());
  std::set<std::string> answers;
  all_answers(world, answers);
  std::set<std::string> covers;
  for (const CoveredOperation& operation : covered(two_who_look()).operations) {
    for (const std::string& name : seen(operation)) {
      covers.insert(operation.what.substr(0, operation.what.find(' ')) + "→" + name);
    }
  }
  EXPECT_EQ(covers, answers);
}

TEST(Coverage, IsTheSameIfIdenticalClientsAreDistinguished) {
  const Coverage merged = covered(two_who_look());
  const Coverage apart = covered(two_who_look().symmetry(false));
  EXPECT_EQ(apart.never(), merged.never());
  EXPECT_EQ(apart.outcomes(), merged.outcomes());
}

TEST(Coverage, AClientThatNeverEntersWhatItWants) {
  Scenario scenario = two_who_look();
  scenario.client(gives_up);
  const Coverage coverage = covered(scenario);
  EXPECT_THAT(coverage.never(), Contains("C enters lock"));
  EXPECT_THAT(coverage.never(), Contains("A DEL lock→0"));
  EXPECT_THAT(coverage.never(), Not(Contains("A, B enter lock")));
}

TEST(Coverage, OperationsAtTwoLinesAreTwo) {
  const Coverage coverage = covered(reads_twice);
  ASSERT_EQ(coverage.operations.size(), 3U);
  const CoveredOperation& first = coverage.operations.front();
  const CoveredOperation& second = coverage.operations.back();
  EXPECT_EQ(first.what, second.what);
  EXPECT_THAT(first.file, HasSubstr("coverage_test.cpp"));
  EXPECT_EQ(second.line, first.line + 2);
  EXPECT_THAT(seen(first), ElementsAre("nil"));
  EXPECT_THAT(seen(second), ElementsAre("a value"));
  const std::string line = std::to_string(first.line);
  EXPECT_THAT(coverage.never(), Contains("GET lock (coverage_test.cpp:" + line + ")→a value"));
}

TEST(Coverage, ASleepThatOutlastsTheInstantsNeverEnds) {
  EXPECT_THAT(covered([](Client& me) { return sleeps(me, seconds{2}); }).never(), IsEmpty());
  EXPECT_THAT(covered([](Client& me) { return sleeps(me, seconds{3}); }).never(),
              ElementsAre("sleep→wakes"));
}

TEST(Coverage, AWaitForAMessageEndsInSeveralWays) {
  Scenario scenario("bell");
  scenario.client(waits_for_a_message).instants(3);
  scenario.require(always("true", [](const Snapshot&) { return true; }));
  EXPECT_THAT(covered(scenario).never(), ElementsAre("wait for a message→a message"));
  scenario.client(rings);
  EXPECT_THAT(covered(scenario).never(), IsEmpty());
  scenario.faults(FaultBudget().allow(Fault::restart));
  EXPECT_THAT(seen(named(covered(scenario), "wait for a message")),
              ElementsAre("a message", "time over", "cut off"));
}

TEST(Coverage, NamesWritesThatAreNotAnswered) {
  const auto writes = [](Client& me) { return writes_with(me, 1); };
  const Coverage late = covered(writes, FaultBudget().allow(Fault::late_write));
  EXPECT_THAT(seen(named(late, "write database")), ElementsAre("ok", "?"));
  const Coverage twice = covered(writes, FaultBudget().allow(Fault::duplicate_write));
  EXPECT_THAT(seen(named(twice, "write database")), ElementsAre("ok"));
  EXPECT_THAT(twice.never(), ElementsAre());
}

TEST(Coverage, AResourceThatChecksTokensMayRefuseThem) {
  Scenario scenario("writes");
  scenario.client([](Client& me) { return writes_with(me, 2); });
  scenario.client([](Client& me) { return writes_with(me, 3); });
  scenario.resource_checks_fencing("database").require(fenced_writes("database"));
  EXPECT_THAT(covered(scenario).never(), ElementsAre("B write database→refused"));
}

TEST(Coverage, AFaultThatIsAllowedAndCannotHappen) {
  FaultBudget faults;
  faults.allow(Fault::eviction).allow(Fault::lost_message).allow(Fault::crash);
  EXPECT_THAT(covered(reads_again_when_disturbed, faults).never(),
              AllOf(Contains("fault eviction"), Contains("fault lost-message"),
                    Not(Contains("fault crash"))));
  EXPECT_THAT(covered(reads_twice, faults).never(),
              AllOf(Not(Contains("fault eviction")), Contains("fault lost-message")));
  EXPECT_THAT(covered(rings, faults).never(),
              AllOf(Contains("fault lost-message"), Contains("PUBLISH→heard")));
}

TEST(Coverage, WhatFollowsAFaultIsDisturbedOnlyByASecondOne) {
  FaultBudget one;
  one.allow(Fault::lost_request);
  FaultBudget two;
  two.allow(Fault::lost_request, 2);
  const Coverage undisturbed = covered(reads_again_when_disturbed, one);
  EXPECT_THAT(seen(undisturbed.operations.front()), ElementsAre("nil", "?"));
  EXPECT_THAT(seen(undisturbed.operations.back()), ElementsAre("nil"));
  EXPECT_THAT(undisturbed.never(), Contains(HasSubstr(")→?")));
  const Coverage disturbed = covered(reads_again_when_disturbed, two);
  EXPECT_THAT(seen(disturbed.operations.back()), ElementsAre("nil", "?"));
}

TEST(Coverage, SaysNothingOfAFaultIfNoneMayHappen) {
  FaultBudget none;
  none.allow(Fault::crash).at_most(0);
  EXPECT_THAT(covered(reads_twice, none).faults, IsEmpty());
}

TEST(Coverage, OfAViolationEndsWithTheSearch) {
  Scenario scenario("both enter");
  scenario.clients(2, reads_twice).require(never("told"));
  scenario.client([](Client& me) -> Task<void> {
    me.reach("told");
    return reads_twice(me);
  });
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_THAT(describe(verdict), Not(HasSubstr("never:")));
  EXPECT_FALSE(verdict.coverage.empty());
}

TEST(Coverage, IsToldBesideAProof) {
  EXPECT_THAT(describe(explore(two_who_look())), HasSubstr("\n  never: 1 of 7 outcomes: DEL"));
}

}  // namespace
}  // namespace interlock::sim
