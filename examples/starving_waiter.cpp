// Tests whether a waiter starves, under a fairness that the test chooses. Strong fairness lets a
// client at last do what it could do again and again, which a store promises to nobody.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

interlock::Task<void> work(sim::Client& me) {
  const interlock::Key lock("lock.foo");
  for (;;) {
    me.wants("lock.foo");
    for (;;) {
      co_await me.loop_head();
      const auto taken = co_await me.store().set_if_absent(lock, "taken");
      if (taken && *taken) break;
    }
    me.enter("lock.foo");
    co_await me.leave("lock.foo");
    const auto released = co_await me.store().erase(lock);
    if (!released) co_return;
  }
}

sim::Scenario two_workers() {
  sim::Scenario scenario("two-workers");
  scenario.clients(2, work);
  return scenario.require(sim::every_waiter_acquires("lock.foo"));
}

// TLA+: SF of the step that takes the lock, for A and for B.
sim::Scenario two_lucky_workers() {
  sim::Scenario scenario = two_workers();
  for (const std::size_t client : {0U, 1U}) {
    scenario.fairness(sim::Fairness::strong, sim::entering("lock.foo", client));
  }
  return scenario;
}

// If nothing is chosen, fairness is weak (TLA+: WF of each client's next step).
TEST(StarvingWaiter, AlwaysTriesAtTheWrongMoment) {
  EXPECT_VIOLATED(sim::testing::check(two_workers()), "");
}

TEST(StarvingWaiter, IsServedUnderStrongFairness) {
  EXPECT_PROVED(sim::testing::check(two_lucky_workers()));
}

// TLA+: no fairness of B. It may stop for ever, also while it has the lock.
TEST(StarvingWaiter, IsNotServedIfTheHolderMayStop) {
  const sim::Verdict verdict =
      sim::testing::check(two_lucky_workers().fairness(sim::Fairness::none, sim::steps_of(1)));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_EQ(verdict.fairness.front(), "B may stop for ever");
}

}  // namespace
