// What others can see between the execution of a request and its answer: a client that ends takes
// its subscriptions with it, and one that gives a belief up leaves room for another. Both come with
// the answer, so that somebody else may act before.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;

const Key job("job");
const Channel one("one");
const Channel other("other");
constexpr const char* seen = "seen";

Outcome outcome_of(Program listener, Program asker, FaultBudget faults = {}) {
  Scenario scenario("listener and asker");
  scenario.client(std::move(listener)).client(std::move(asker)).faults(faults).allow_deadlock();
  return explore(scenario.require(never(seen))).outcome;
}

Task<void> listen_and_do_the_job(Client& me) {
  const Result<SubscriptionId> id = co_await me.store().subscribe(one);
  if (id) static_cast<void>(co_await me.store().set(job, "done"));
}
Task<void> listen_do_the_job_and_look(Client& me) {
  const Result<SubscriptionId> id = co_await me.store().subscribe(one);
  if (id) static_cast<void>(co_await me.store().set(job, "done"));
  static_cast<void>(co_await me.store().get(job));
}

// The job is done, and who did it is still there.
Task<void> ask_after_the_job(Client& me) {
  const Result<std::optional<std::string>> done = co_await me.store().get(job);
  if (!done || !*done) co_return;
  const Result<std::int64_t> heard = co_await me.store().publish(one, "?");
  me.reach(seen, heard && *heard > 0);
}

Scenario asked_about(Program listener) {
  Scenario scenario("asked about");
  scenario.client(std::move(listener)).client(ask_after_the_job);
  return scenario.require(never(seen));
}

TEST(LastAnswer, OfAClientThatListensLeavesItListeningUntilItHasCome) {
  const Verdict verdict = explore(asked_about(listen_and_do_the_job));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 4U) << describe(verdict.run);
}

TEST(LastAnswer, IsAsFarFromItsRequestAsTheOneBefore) {
  const Verdict verdict = explore(asked_about(listen_do_the_job_and_look));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 4U) << describe(verdict.run);
}

TEST(LastAnswer, OfAClientThatListensIsHeldBackByChanceToo) {
  EXPECT_EQ(search_at_random(asked_about(listen_and_do_the_job), RandomSearch()).verdict.outcome,
            Outcome::violated);
}

TEST(LastAnswer, ThatHasNotComeIsWrittenDownAndReplayed) {
  const Scenario scenario = asked_about(listen_and_do_the_job);
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  const Result<sim::Run> again = replay(scenario, make_schedule(verdict.run));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(verdict.run));
}

Task<void> do_the_job_alone(Client& me) {
  static_cast<void>(co_await me.store().get(job));
  static_cast<void>(co_await me.store().set(job, "done"));
}

TEST(LastAnswer, OfAClientThatDoesNotListenIsOneStepWithItsRequest) {
  Scenario scenario("alone");
  scenario.client(do_the_job_alone).require(mutual_exclusion("lock")).allow_deadlock();
  // Before the first request, after it, and after the second.
  EXPECT_EQ(explore(scenario).states, 3U);
}

Task<void> only_listen(Client& me) {
  static_cast<void>(co_await me.store().subscribe(one));
}
Task<void> ask_at_any_time(Client& me) {
  const Result<std::int64_t> heard = co_await me.store().publish(one, "?");
  me.reach(seen, heard && *heard > 0);
}

TEST(LastAnswer, OfASubscribeFollowsAMomentWithAListener) {
  EXPECT_EQ(outcome_of(only_listen, ask_at_any_time), Outcome::violated);
}

Task<void> stop_one_of_two(Client& me) {
  const Result<SubscriptionId> first = co_await me.store().subscribe(other);
  const Result<SubscriptionId> second = co_await me.store().subscribe(one);
  if (!first || !second) co_return;
  static_cast<void>(co_await me.store().set(job, "done"));
  static_cast<void>(co_await me.store().unsubscribe(*second));
}
Task<void> wait_on_one_of_two(Client& me) {
  const Result<SubscriptionId> first = co_await me.store().subscribe(other);
  const Result<SubscriptionId> second = co_await me.store().subscribe(one);
  if (!first || !second) co_return;
  static_cast<void>(co_await me.store().set(job, "done"));
  static_cast<void>(co_await me.store().await_message(*second, TimePoint::max()));
}
Task<void> ask_on_both(Client& me) {
  const Result<std::optional<std::string>> done = co_await me.store().get(job);
  if (!done || !*done) co_return;
  const Result<std::int64_t> first = co_await me.store().publish(one, "?");
  if (!first || *first > 0) co_return;
  const Result<std::int64_t> second = co_await me.store().publish(other, "?");
  me.reach(seen, second && *second > 0);
}

// One subscription ends by the request, the other by the client's end.
TEST(LastAnswer, OfAnUnsubscribeEndsTheOtherSubscriptionLater) {
  EXPECT_EQ(outcome_of(stop_one_of_two, ask_on_both), Outcome::violated);
}

TEST(LastAnswer, OfAWaitThatFailsEndsTheOtherSubscriptionLater) {
  EXPECT_EQ(outcome_of(wait_on_one_of_two, ask_on_both, FaultBudget().allow(Fault::unreachable)),
            Outcome::violated);
  EXPECT_EQ(outcome_of(wait_on_one_of_two, ask_on_both, FaultBudget().allow(Fault::restart)),
            Outcome::violated);
}

Task<void> move_the_end(Client& me) {
  me.enter("lock");
  static_cast<void>(co_await me.store().set(job, "done"));
  me.believes_until("lock", TimePoint(seconds{0}));
}
Task<void> enter_again_for_less(Client& me) {
  me.enter("lock", FencingToken(), TimePoint(seconds{5}));
  static_cast<void>(co_await me.store().set(job, "done"));
  me.enter("lock", FencingToken(), TimePoint(seconds{0}));
}
Task<void> enter_after_the_job(Client& me) {
  const Result<std::optional<std::string>> done = co_await me.store().get(job);
  if (!done || !*done) co_return;
  me.enter("lock", FencingToken(), TimePoint(seconds{5}));
  co_await me.leave("lock");
}

// What its request shows to others comes before it has the answer, and it believes until then.
TEST(LastAnswer, ThatEndsABeliefLeavesItUntilItHasCome) {
  for (Task<void> (*const holder)(Client&) : {move_the_end, enter_again_for_less}) {
    Scenario scenario("a belief that ends early");
    scenario.client(holder).client(enter_after_the_job).require(lease_exclusion("lock"));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  }
}

}  // namespace
}  // namespace interlock::sim
