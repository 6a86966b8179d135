// Identical clients are taken as one another: whatever names a client, or belongs to one, must go
// along when two of them change places. Each of these programs would notice what stays behind.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "interlock/lock_keys.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

const Key key("k");
const Key noted_key("noted");

void expect_proved(Scenario scenario) {
  for (const bool symmetry : {true, false}) {
    const Verdict verdict = explore(scenario.symmetry(symmetry));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

// Only one of them ever writes the key. A client that reads its clock when an answer comes may be
// answered later.
Task<void> takes_and_looks_twice(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Result<bool> won = co_await me.store().set_if_absent(key, mine.text());
  const Result<std::optional<std::string>> first = co_await me.store().get(key);
  static_cast<void>(me.time().now());
  const Result<std::optional<std::string>> second = co_await me.store().get(key);
  if (!won || !first || !second) co_return;
  me.reach("a winner who reads another's token", *won != (*first == mine.text()));
  me.reach("a token that changes", *first != *second);
}

TEST(IdenticalClients, KeepTheAnswersThatAreOnTheirWay) {
  Scenario scenario("holders");
  scenario.clients(3, takes_and_looks_twice)
      .require(never("a winner who reads another's token"))
      .require(never("a token that changes"))
      .instants(2);
  expect_proved(scenario);
}

// The note names the holder of the key, which never changes.
Task<void> notes_who_holds_it(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  static_cast<void>(co_await me.store().set_if_absent(key, mine.text()));
  const Result<std::optional<std::string>> holder = co_await me.store().get(key);
  if (!holder || !*holder) co_return;
  const std::string note = **holder;
  static_cast<void>(co_await me.store().set(noted_key, note));
  const Result<std::optional<std::string>> noted = co_await me.store().get(noted_key);
  const Result<std::optional<std::string>> again = co_await me.store().get(key);
  if (noted && *noted && again) me.reach("a note of another", *noted != *again);
}

TEST(IdenticalClients, KeepTheRequestsThatTheyHaveLeftBehind) {
  Scenario scenario("notes");
  scenario.clients(3, notes_who_holds_it)
      .faults(FaultBudget().allow(Fault::late_execution))
      .require(never("a note of another"));
  expect_proved(scenario);
}

Task<void> reads_its_clock_thrice(Client& me) {
  const TimePoint first = me.wall_clock().now();
  static_cast<void>(co_await me.store().increment(key));
  const TimePoint second = me.wall_clock().now();
  static_cast<void>(co_await me.store().increment(key));
  const TimePoint third = me.wall_clock().now();
  me.reach("a clock that was set back", second < first || third < second);
  me.reach("a clock that was set forward", first < third);
  static_cast<void>(co_await me.store().increment(key));
}

TEST(IdenticalClients, KeepTheirClocks) {
  Scenario scenario("clocks");
  scenario.clients(3, reads_its_clock_thrice)
      .faults(FaultBudget().allow(Fault::clock_jump))
      .sometimes("a clock that was set forward")
      .require(never("a clock that was set back"));
  expect_proved(scenario);
}

Task<void> draws_two_tokens(Client& me) {
  const OwnerToken first = me.tokens().fresh();
  const OwnerToken second = me.tokens().fresh();
  me.reach("the same token twice", first == second);
  static_cast<void>(co_await me.store().get(key));
}

TEST(IdenticalClients, NeverDrawATokenTwice) {
  Scenario scenario("tokens");
  scenario.clients(2, draws_two_tokens).require(never("the same token twice"));
  expect_proved(scenario);
}

// Takes a number, then another one.
Task<void> takes_two_numbers(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Result<std::int64_t> first = co_await me.store().increment(key);
  static_cast<void>(co_await me.store().set(noted_key, mine.text()));
  const Result<std::int64_t> last = co_await me.store().increment(key);
  if (first && last) me.reach("all the others between its two", *first == 1 && *last == 8);
}

// A run in which clients of the search stand for one another in more than pairs.
TEST(IdenticalClients, AreWhoTheyAreInTheRunThatIsTold) {
  Scenario scenario("rounds");
  scenario.clients(4, takes_two_numbers).require(never("all the others between its two"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  std::vector<int> taken(4);
  for (const RunStep& step : verdict.run.steps) {
    if (step.operation && step.operation->kind == OperationKind::increment) {
      ++taken[*step.client];
    }
  }
  EXPECT_EQ(taken, (std::vector<int>{2, 2, 2, 2})) << describe(verdict.run);
}

// Each key is named after its owner, and the one that is evicted is told by its name.
Task<void> makes_a_key_and_takes_two_numbers(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Key own("node:" + mine.text());
  const Result<std::int64_t> first = co_await me.store().increment(key);
  const std::string value = "v";
  static_cast<void>(co_await me.store().set(own, value));
  const Result<std::int64_t> last = co_await me.store().increment(key);
  const Result<std::optional<std::string>> seen = co_await me.store().get(own);
  const bool all = first && last && *first == 1 && *last == 6;
  me.reach("all the others between, and its key is gone", all && seen && !*seen);
}

TEST(IdenticalClients, LoseTheKeysThatAreTheirsInTheRunThatIsTold) {
  Scenario scenario("nodes");
  scenario.clients(3, makes_a_key_and_takes_two_numbers)
      .faults(FaultBudget().allow(Fault::eviction))
      .require(never("all the others between, and its key is gone"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
}

// The message comes after the first look at the key, and before the second.
Task<void> listens_to_a_release(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  const Result<std::optional<std::string>> before = co_await me.store().get(key);
  const Result<std::int64_t> number = co_await me.store().increment(noted_key);
  const Result<std::optional<std::string>> after = co_await me.store().get(key);
  if (!ear || !before || !*before || !number || !after || *after) co_return;
  const TimePoint at_once = me.time().now();
  const Result<bool> heard = co_await me.store().await_message(*ear, at_once);
  me.reach("missed by the third", *number == 3 && heard && !*heard);
}
Task<void> releases(Client& me) {
  const OwnerToken held("held");
  static_cast<void>(co_await me.store().release(key, held));
}

TEST(IdenticalClients, MissTheMessagesThatAreTheirsInTheRunThatIsTold) {
  Scenario scenario("listeners");
  scenario.clients(3, listens_to_a_release)
      .client(releases)
      .initially(key, Entry("held"))
      .require(never("missed by the third"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  scenario.faults(FaultBudget().allow(Fault::lost_message));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
}

}  // namespace
}  // namespace interlock::sim
