// Numbers that share a word have few bits each. A search that runs out of them says what it ran out
// of, and gives no verdict: neither a proof nor a violation that rests on a wrong number.
#include "base/widths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/explore.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

Verdict explore_with(const Widths& widths, const Scenario& scenario) {
  Limits limits;
  limits.widths = &widths;
  return explore(scenario, limits);
}

// Its local states are all those of a tree; at the last leaf something happens.
Task<void> walks_a_tree(Client& me, int depth) {
  bool last = true;
  for (int left = depth; left > 0; --left) {
    last = me.choose(3) == 2 && last;
    static_cast<void>(co_await me.store().get(Key("any")));
  }
  if (last) me.reach("the last leaf");
}

Scenario tree() {
  Scenario scenario("tree");
  scenario.client([](Client& me) { return walks_a_tree(me, 4); }).require(never("the last leaf"));
  return scenario;
}

TEST(Widths, ThereIsRoomForMostScenarios) {
  EXPECT_EQ(explore(tree()).outcome, Outcome::violated);
}

TEST(Widths, MoreConfigurationsOfAClientThanFitGiveNoVerdict) {
  Widths widths;
  widths.configs = 50;
  const Verdict verdict = explore_with(widths, tree());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("more than 50 states of one client"));
}

TEST(Widths, AViolationThatWasFoundJustBeforeIsNoVerdictEither) {
  // As many as the whole search has, and then fewer and fewer: none of them may prove it.
  for (std::uint32_t room = 121; room > 1; --room) {
    Widths widths;
    widths.configs = room;
    EXPECT_NE(explore_with(widths, tree()).outcome, Outcome::proved) << room;
  }
}

// Remembers how long the key lasted at each look, so that it has more and more states.
Task<void> claims_for_ever(Client& me) {
  me.wants("k");
  const Key key("k");
  const OwnerToken owner = me.tokens().fresh();
  const Result<SubscriptionId> heard = co_await me.store().subscribe(release_channel(key));
  if (!heard) co_return;
  TimePoint until = TimePoint::max();
  for (;;) {
    const TimePoint sent = me.time().now();
    const Result<ClaimReply> reply =
        co_await me.store().claim(key, owner, Ttl(std::chrono::seconds{60}));
    if (!reply || std::holds_alternative<Claimed>(*reply)) break;
    const Busy held = std::get<Busy>(*reply);
    if (held.remaining) until = sent + *held.remaining + milliseconds{1};
    static_cast<void>(co_await me.store().await_message(*heard, until));
  }
  me.enter("k");
  co_await me.leave("k");
  static_cast<void>(co_await me.store().release(key, owner));
}

// A search begins with numbers of 16 bits. A client that grows older, where time has no end, gets a
// number that does not fit in the middle of a step, and then goes on with the step.
TEST(Widths, ANumberThatDoesNotFitInTheMiddleOfAStepEndsNoProgram) {
  Scenario scenario("claims");
  scenario.client(claims_for_ever)
      .clocks_start_at(std::chrono::seconds{100})
      .initially(Key("k"), interlock::Entry("il1:crashed", milliseconds{102'000}))
      .time_without_end()
      .long_lived_keys_stay()
      .require(every_waiter_acquires("k"));
  Limits limits;
  limits.states = 1'000'000;
  const Verdict verdict = explore(scenario, limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
}

Task<void> sends(Client& me) {
  for (int left = 3; left > 0; --left) static_cast<void>(co_await me.store().increment(Key("n")));
}

TEST(Widths, MoreLateRequestsThanFitGiveNoVerdict) {
  Scenario scenario("late");
  scenario.client(sends)
      .faults(FaultBudget().allow(Fault::late_execution, 3))
      .require(no_deadlock());
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  Widths widths;
  widths.late_requests = 2;
  const Verdict verdict = explore_with(widths, scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("more than 2 requests of one client on their way"));
}

// --- what the world has many of ------------------------------------------------------------------

Task<void> writes_and_tells(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  for (int left = 2; left > 0; --left) {
    const Result<std::int64_t> count = co_await me.store().increment(Key("n"));
    const std::string text = owner.text();
    const Channel channel("c" + std::to_string(count ? *count : 0));
    static_cast<void>(co_await me.store().publish(channel, text));
    me.enter("lock " + std::to_string(count ? *count : 0));
  }
}

Scenario busy() {
  Scenario scenario("busy");
  return scenario.clients(2, writes_and_tells).require(mutual_exclusion("lock 1"));
}

void expect_too_many(std::uint32_t Widths::*width, std::uint32_t most, const std::string& what) {
  ASSERT_EQ(explore(busy()).outcome, Outcome::proved) << describe(explore(busy()));
  for (std::uint32_t room = 1; room <= most; ++room) {
    Widths widths;
    widths.*width = room;
    const Verdict verdict = explore_with(widths, busy());
    EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("more than " + std::to_string(room) + " " + what));
  }
}

TEST(Widths, MoreOfAnythingThanFitsGivesNoVerdict) {
  expect_too_many(&Widths::operations, 4, "different operations");
  expect_too_many(&Widths::causes, 3, "different things that clients tell in a step");
  expect_too_many(&Widths::messages, 3, "different lists of messages");
  expect_too_many(&Widths::globals, 8, "states of what all clients share");
}

TEST(Widths, TheTableOfStatesHasNumbersForSoMany) {
  Widths widths;
  widths.states = 7;
  const Verdict verdict = explore_with(widths, busy());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(verdict.states, 7U);
  EXPECT_THAT(verdict.reason, HasSubstr("the limit of 7 states was reached"));
}

}  // namespace
}  // namespace interlock::sim
