// Tests steps: each leader writes the next epoch. The epoch must never become smaller, and only
// a leader may change it. Both are about what a step changes, because no single state is wrong.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

interlock::Task<void> lead(sim::Client& me, bool by_incr) {
  const interlock::OwnerToken owner = me.tokens().fresh();
  const interlock::Key leader("leader");
  const interlock::Key epoch("epoch");
  const interlock::Ttl ttl(std::chrono::seconds{1});
  for (int term = 0; term < 2; ++term) {
    const auto claimed = co_await me.store().claim(leader, owner, ttl);
    if (!claimed || !std::holds_alternative<interlock::Claimed>(*claimed)) co_return;
    me.note("leads", 1);
    if (by_incr) {
      static_cast<void>(co_await me.store().increment(epoch));
    } else {
      const auto before = co_await me.store().get(epoch);
      if (!before) co_return;
      const std::string next = *before ? std::to_string(std::stoi(**before) + 1) : "1";
      static_cast<void>(co_await me.store().set(epoch, next));
    }
    me.note("leads", 0);
    static_cast<void>(co_await me.store().release(leader, owner));
  }
}

sim::Scenario election(bool by_incr) {
  const auto epoch = [](const sim::Snapshot& world) { return world.number("epoch"); };
  sim::Scenario scenario(by_incr ? "epoch-by-incr" : "epoch-by-set");
  scenario.clients(2, [=](sim::Client& me) { return lead(me, by_incr); }).instants(4);
  scenario.require(sim::never_decreases("the epoch never decreases", epoch));
  return scenario.require(sim::each_step(
      "only a leader changes the epoch",
      [=](const sim::StepView& step) { return epoch(step.before) != epoch(step.after); },
      [](const sim::StepView& step) {
        return step.client && step.before.clients[*step.client].ghost("leads") == 1;
      }));
}

TEST(LeaderEpoch, AnOldLeaderSetsItBack) {
  const sim::Verdict verdict = sim::testing::check(election(false));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_EQ(verdict.property, "the epoch never decreases");
}

TEST(LeaderEpoch, IncrCannotSetItBack) {
  EXPECT_PROVED(sim::testing::check(election(true)));
}

}  // namespace
