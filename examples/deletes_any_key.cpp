// The lock that docs/coming-from-checkers.md writes for several model checkers: SET NX PX takes it,
// and DEL releases it without a look at who holds it.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;
using namespace std::chrono_literals;

interlock::Task<void> visit(sim::Client& me, bool looks) {
  const interlock::Key key("lock");
  const interlock::OwnerToken owner = me.tokens().fresh();
  const auto set = co_await me.store().set_if_absent(key, owner.text(), 1000ms);
  if (!set || !*set) co_return;
  me.enter("lock");
  co_await me.leave("lock");
  if (looks) {
    static_cast<void>(co_await me.store().release(key, owner));  // DEL, if it holds my token
  } else {
    static_cast<void>(co_await me.store().erase(key));  // DEL
  }
}

sim::Scenario lock(bool looks) {
  sim::Scenario scenario("deletes-any-key");
  scenario.clients(2, [looks](sim::Client& me) { return visit(me, looks); });
  return scenario.instants(4).require(sim::owner_only("lock"));
}

TEST(DeletesAnyKey, RemovesTheLockOfAnother) {
  EXPECT_VIOLATED(sim::testing::check(lock(false)), R"(
    A           B
    SETNX -> 1  .             # A holds
    leaves      .
    (time +1000 ms)
    (time +1000 ms)           # the key expires
    .           SETNX -> 1    # B holds
    DEL -> 1    .             # A deletes B's lock
  )");
}

TEST(DeletesAnyKey, RemovesItsOwnIfItLooks) {
  EXPECT_PROVED(sim::testing::check(lock(true)));
}

}  // namespace
