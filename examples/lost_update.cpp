// Tests with a ghost variable: each client notes how often it has added to a counter. No program
// reads what was noted, but a property can compare it with the counter, so that nobody has to keep
// a second count on the server.
#include <gtest/gtest.h>

#include <algorithm>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

// Reads, adds and writes: an addition between the two is lost.
interlock::Task<void> add_by_get_and_set(sim::Client& me) {
  const interlock::Key counter("counter");
  const auto text = co_await me.store().get(counter);
  if (!text) co_return;
  const std::string next = *text && **text == "1" ? "2" : "1";
  const auto stored = co_await me.store().set(counter, next);
  if (stored) me.note("added", 1);
}

interlock::Task<void> add_by_incr(sim::Client& me) {
  const interlock::Key counter("counter");
  const auto number = co_await me.store().increment(counter);
  if (number) me.note("added", 1);
}

bool nothing_is_lost(const sim::Snapshot& world) {
  const bool all_done = std::all_of(
      world.clients.begin(), world.clients.end(),
      [](const auto& client) { return client.status == sim::ClientView::Status::done; });
  return !all_done || world.number("counter") == world.sum_of_ghosts("added");
}

sim::Scenario counting(const sim::Program& program) {
  sim::Scenario scenario("lost-update");
  scenario.clients(2, program);
  return scenario.require(sim::always("no addition is lost", nothing_is_lost));
}

TEST(LostUpdate, GetAndSetLoseAnAddition) {
  const auto program = [](sim::Client& me) { return add_by_get_and_set(me); };
  const sim::Verdict verdict = sim::testing::check(counting(program));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_NE(sim::draw_text(verdict.run).find("added=1"), std::string::npos);
}

TEST(LostUpdate, IncrLosesNone) {
  EXPECT_PROVED(sim::testing::check(counting([](sim::Client& me) { return add_by_incr(me); })));
}

}  // namespace
