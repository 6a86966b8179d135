// Tests a lock on several servers: a client that finds the primary unreachable asks the replica. If
// one request is not sent, two clients hold the lock. A majority of three servers needs no primary.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

const interlock::Key key("lock");

interlock::Task<void> primary_or_replica(sim::Client& me) {
  const interlock::OwnerToken owner = me.tokens().fresh();
  interlock::Result<bool> taken = co_await me.store(0).set_if_absent(key, owner.text());
  const bool unreachable = !taken && taken.error().code() == interlock::Errc::unavailable;
  if (unreachable) taken = co_await me.store(1).set_if_absent(key, owner.text());
  if (!taken || !*taken) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

interlock::Task<void> two_of_three(sim::Client& me) {
  const interlock::OwnerToken owner = me.tokens().fresh();
  int granted = 0;
  for (std::size_t server = 0; server < 3; ++server) {
    const interlock::Result<bool> taken =
        co_await me.store(server).set_if_absent(key, owner.text());
    if (taken && *taken) ++granted;
  }
  if (granted < 2) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

sim::Scenario servers(std::size_t count, const sim::Program& client) {
  sim::Scenario scenario("failover");
  scenario.servers(count).clients(2, client).require(sim::mutual_exclusion("lock"));
  scenario.faults(sim::FaultBudget().allow(sim::Fault::unreachable));
  return scenario;
}

TEST(Failover, TwoServersThatDoNotKnowOfEachOtherGrantTwice) {
  const sim::Verdict verdict = sim::testing::check(servers(2, primary_or_replica));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_EQ(verdict.run.faults(), 1U);
}

TEST(Failover, AnyTwoMajoritiesShareAServer) {
  EXPECT_PROVED(sim::testing::check(servers(3, two_of_three)));
}

}  // namespace
