// Tests what must come at last: every request in the box is answered (leads_to). One worker looks
// again and again; one waits for a message that it may have missed.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

const interlock::Key request("request");
const interlock::Key answer("answer");
const interlock::Channel asked("asked");

interlock::Task<void> ask(sim::Client& me) {
  static_cast<void>(co_await me.store().set(request, "?"));
  static_cast<void>(co_await me.store().publish(asked, "now"));
}

interlock::Task<void> look_again_and_again(sim::Client& me) {
  for (;;) {
    co_await me.loop_head();
    const auto found = co_await me.store().get(request);
    if (found && *found) break;
  }
  static_cast<void>(co_await me.store().set(answer, "!"));
}

interlock::Task<void> wait_for_message(sim::Client& me) {
  const auto subscription = co_await me.store().subscribe(asked);
  if (!subscription) co_return;
  const interlock::TimePoint end = interlock::TimePoint::max();
  static_cast<void>(co_await me.store().await_message(*subscription, end));
  static_cast<void>(co_await me.store().set(answer, "!"));
}

sim::Scenario requests(const char* name, interlock::Task<void> (*work)(sim::Client&)) {
  const auto is_asked = [](const sim::Snapshot& world) { return world.find("request") != nullptr; };
  const auto is_answered = [](const sim::Snapshot& world) {
    return world.find("answer") != nullptr;
  };
  sim::Scenario scenario(name);
  scenario.client(ask).client(work).allow_deadlock();
  return scenario.require(sim::leads_to("a request leads to an answer", is_asked, is_answered));
}

TEST(AnsweredRequests, WhoLooksAgainAnswersAtLast) {
  EXPECT_PROVED(sim::testing::check(requests("looks-again", look_again_and_again)));
}

TEST(AnsweredRequests, WhoSubscribesLateWaitsForEver) {
  const sim::Verdict verdict = sim::testing::check(requests("waits", wait_for_message));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_EQ(verdict.property, "a request leads to an answer");
  EXPECT_EQ(verdict.run.owed_since, 1U) << "after the first step it is asked";
}

}  // namespace
