// Tests an object that clients share: a counter is linearizable if each addition takes effect at
// one moment between its call and its return. By INCR it is; by GET and SET it is not.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

interlock::Task<void> add_by_get_and_set(sim::Client& me) {
  const interlock::Key counter("counter");
  me.invokes("counter", "increment");
  const auto text = co_await me.store().get(counter);
  const std::int64_t next = text && *text ? std::stoll(**text) + 1 : 1;
  const std::string value = std::to_string(next);
  const auto stored = co_await me.store().set(counter, value);
  if (stored) {
    me.returns("counter", next);
  } else {
    me.leaves_open("counter");  // it may have been carried out or not
  }
}

interlock::Task<void> add_by_incr(sim::Client& me) {
  me.invokes("counter", "increment");
  const auto number = co_await me.store().increment(interlock::Key("counter"));
  if (number) {
    me.returns("counter", *number);
  } else {
    me.leaves_open("counter");
  }
}

sim::Scenario counting(const sim::Program& program) {
  sim::Scenario scenario("shared-counter");
  scenario.clients(3, program).faults(sim::FaultBudget().allow(sim::Fault::lost_reply));
  return scenario.require(sim::linearizable("counter", sim::sequential::counter()));
}

TEST(SharedCounter, ByGetAndSetGivesTwoClientsOneNumber) {
  const sim::Verdict verdict = sim::testing::check(counting(add_by_get_and_set));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_NE(sim::draw_text(verdict.run).find("fits no order of the operations"), std::string::npos);
}

TEST(SharedCounter, ByIncrIsLinearizable) {
  EXPECT_PROVED(sim::testing::check(counting(add_by_incr)));
}

}  // namespace
