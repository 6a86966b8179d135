// Writes to a protected resource that get lost, come late or come twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/game.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string database = "database";
const Key lock("lock");

// Holds the lock until the next instant and writes once, with its fencing token. Does not look at
// the answer.
Task<void> takes_and_writes(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Ttl ttl(milliseconds{500});
  const auto claim = co_await me.store().claim(lock, mine, ttl);
  const auto* const claimed = claim ? std::get_if<Claimed>(&*claim) : nullptr;
  if (claimed == nullptr) co_return;
  const FencingToken fencing = claimed->fencing;
  static_cast<void>(co_await me.write(database, fencing));
}

Task<void> writes_once(Client& me) {
  const FencingToken fencing{1};
  const WriteAnswer answer = co_await me.write(database, fencing);
  if (!answer) me.reach(answer.is_known() ? "refused" : "no answer");
}

// No client is slow, because time passes only while nobody can move: each write is sent in time.
Scenario two_that_write(FaultBudget faults) {
  Scenario scenario("two");
  return scenario.clients(2, takes_and_writes)
      .instants(2)
      .faults(faults.pauses(0))
      .require(fenced_writes(database));
}

Scenario one_that_writes(Fault fault) {
  Scenario scenario("one");
  return scenario.client(writes_once)
      .faults(FaultBudget().allow(fault))
      .offer(never("no answer"))
      .offer(never("refused"));
}

Outcome outcome(Scenario scenario, const Property& property) {
  return explore(scenario.require(property)).outcome;
}

Property nothing_was_written() {
  return always("nothing was written", [](const Snapshot& world) {
    return world.resources.empty() || world.resources.front().last_writer.empty();
  });
}

TEST(WritesOverANetwork, AreSafeWhileTheyArriveAtOnce) {
  const Verdict verdict = explore(two_that_write(FaultBudget()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// A claims, and its write is delayed. The lease ends. B claims and writes. A's write arrives.
TEST(WritesOverANetwork, ThatComeLateLandAfterThoseOfTheNextHolder) {
  const Scenario scenario = two_that_write(FaultBudget().allow(Fault::late_write));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(print_short(verdict.run), "two:1s1t221+");
  const std::string told = describe(verdict.run);
  EXPECT_THAT(told, HasSubstr("A  write database #1 -> indeterminate  [late-write]\n"));
  EXPECT_THAT(
      told,
      HasSubstr(
          "A  late: write database #1 -> 1  ! no stale write to database after a newer one\n"));
}

TEST(WritesOverANetwork, ThatComeLateAreRefusedByFencing) {
  for (const bool clients_are_slow : {false, true}) {
    FaultBudget faults = FaultBudget().allow(Fault::late_write, 2);
    if (!clients_are_slow) faults.pauses(0);
    Scenario scenario("two");
    scenario.clients(2, takes_and_writes)
        .instants(3)
        .faults(faults)
        .require(fenced_writes(database))
        .resource_checks_fencing(database);
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  }
}

// The first copy is answered before the lease ends; the second one comes later.
TEST(WritesOverANetwork, ThatComeTwiceLandAgainAfterThoseOfTheNextHolder) {
  Scenario scenario = two_that_write(FaultBudget().allow(Fault::duplicate_write));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(print_short(verdict.run), "two:1k1t221+");
  const Verdict fenced = explore(scenario.resource_checks_fencing(database));
  EXPECT_EQ(fenced.outcome, Outcome::proved) << describe(fenced);
}

TEST(WritesOverANetwork, ThatAreLostDoNotLand) {
  const Verdict verdict = explore(two_that_write(FaultBudget().allow(Fault::lost_write, 2)));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  Simulation simulation(one_that_writes(Fault::lost_write).require(nothing_was_written()));
  for (const char* const step : {"1@", "n1"}) {
    for (const RunStep& choice : simulation.choices()) {
      if (print_short(choice) != step) continue;
      EXPECT_TRUE(simulation.take(choice.code));
      break;
    }
  }
  EXPECT_EQ(simulation.run().steps.size(), 2U);
  EXPECT_THAT(describe(simulation.run()), Not(HasSubstr("! nothing was written")));
  EXPECT_TRUE(simulation.choices().empty());
}

// What the client sees: an answer that is missing is neither an acceptance nor a refusal.
TEST(WritesOverANetwork, ThatAreNotAnsweredAreNotKnown) {
  for (const Fault fault : {Fault::lost_write, Fault::late_write}) {
    EXPECT_EQ(outcome(one_that_writes(fault), never("no answer")), Outcome::violated);
    EXPECT_EQ(outcome(one_that_writes(fault), never("refused")), Outcome::proved);
  }
  const Scenario twice = one_that_writes(Fault::duplicate_write);
  EXPECT_EQ(outcome(twice, never("no answer")), Outcome::proved);
}

// It is on its way to a resource, and not to the server whose connections break.
TEST(WritesOverANetwork, AreNotLostWithTheConnectionsToAServer) {
  Scenario scenario("one");
  scenario.client(writes_once)
      .faults(FaultBudget().allow(Fault::late_write).allow(Fault::restart).allow(Fault::crash))
      .require(nothing_was_written())
      .allow_deadlock();
  for (const char* const steps : {"one:1@s1r11+", "one:1@s1-x11+", "one:1@s11+"}) {
    const Result<ShortSchedule> schedule = parse_short(steps);
    ASSERT_TRUE(schedule);
    const Result<sim::Run> run = replay(scenario, *schedule);
    ASSERT_TRUE(run) << steps << ": " << run.error().detail();
    EXPECT_EQ(run->steps.back().violates, "nothing was written") << describe(*run);
  }
}

// A late write is renamed with its client.
TEST(WritesOverANetwork, AreTheSameForIdenticalClients) {
  const FaultBudget faults = FaultBudget().allow(Fault::late_write, 2).allow(Fault::crash);
  Scenario alike = two_that_write(faults);
  Scenario apart = two_that_write(faults);
  const Verdict merged = explore(alike.resource_checks_fencing(database));
  const Verdict told_apart = explore(apart.resource_checks_fencing(database).symmetry(false));
  EXPECT_EQ(merged.outcome, Outcome::proved) << describe(merged);
  EXPECT_EQ(told_apart.outcome, Outcome::proved) << describe(told_apart);
  EXPECT_LT(merged.states, told_apart.states);
}

std::string text_of(const Game& game, const std::string& key) {
  for (const Move& move : game.moves()) {
    if (move.key == key) return move.text;
  }
  return "not possible";
}

TEST(WritesOverANetwork, AreToldInAGame) {
  FaultBudget faults = FaultBudget().allow(Fault::lost_write).allow(Fault::duplicate_write);
  Scenario scenario = two_that_write(faults.allow(Fault::late_write).at_most(1));
  Game game(scenario.resource_checks_fencing(database), Verdict());
  ASSERT_TRUE(game.play("1"));
  EXPECT_EQ(text_of(game, "n1"), "writes to database #1, which is lost on its way");
  EXPECT_EQ(text_of(game, "k1"), "writes to database #1, and a second copy later");
  EXPECT_EQ(text_of(game, "s1"), "writes to database #1, which arrives later: no answer");
  ASSERT_TRUE(game.play("s1"));
  EXPECT_EQ(text_of(game, "1+"), "the late write database #1 arrives at last");
  for (const char* const key : {"t", "2", "2"}) ASSERT_TRUE(game.play(key)) << key;
  EXPECT_EQ(text_of(game, "1+"), "the late write database #1 arrives at last, and is refused");
}

TEST(WritesOverANetwork, HaveFaultsOfTheirOwn) {
  Game game(one_that_writes(Fault::lost_request), Verdict());
  ASSERT_TRUE(game.play("1@"));
  const auto answers = game.why("lost-request");
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->front().why, "A asks the store for nothing now");
  Game other(two_that_write(FaultBudget().allow(Fault::late_write)), Verdict());
  const auto before = other.why("s1");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->front().why, "A writes to no protected resource now");
  ASSERT_TRUE(other.play("1"));
  const auto now = other.why("s1");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->front().why, "");
}

TEST(WritesOverANetwork, CanBeWrittenDownAndReplayed) {
  const Scenario scenario =
      two_that_write(FaultBudget().allow(Fault::late_write).allow(Fault::duplicate_write));
  const Result<ShortSchedule> schedule = parse_short("two:1k11+t2s22+");
  ASSERT_TRUE(schedule);
  const Result<sim::Run> run = replay(scenario, *schedule);
  ASSERT_TRUE(run) << run.error().detail();
  const std::string text = print(make_schedule(*run));
  EXPECT_THAT(text, HasSubstr("A fault duplicate-write write database #1 -> 1\n"));
  EXPECT_THAT(text, HasSubstr("A late write database #1 -> 1\n"));
  EXPECT_THAT(text, HasSubstr("B fault late-write write database #1000000 -> indeterminate\n"));
  const Result<Schedule> read = parse_schedule(text);
  ASSERT_TRUE(read) << read.error().detail();
  const Result<sim::Run> again = replay(scenario, *read);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(print_short(*again), print_short(*run));
}

}  // namespace
}  // namespace interlock::sim
