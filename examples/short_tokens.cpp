// Tests random choices: `choose` is a branch of the search, so that "unlikely" counts as possible.
// Two clients draw the same owner token of one random digit, and a late release deletes the lock of
// the other.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;
using namespace std::chrono_literals;

interlock::Task<void> work(sim::Client& me, bool one_digit) {
  const interlock::Key key("lock");
  interlock::OwnerToken owner = me.tokens().fresh();
  if (one_digit) owner = interlock::OwnerToken(std::to_string(me.choose(10)));
  const std::optional<interlock::milliseconds> ttl = 1000ms;
  const interlock::Result<bool> taken = co_await me.store().set_if_absent(key, owner.text(), ttl);
  if (!taken || !*taken) co_return;
  me.enter("lock");
  me.reach("somebody works");
  co_await me.leave("lock");
  // Deletes the key if it holds this token, which is right if no other client has the same token.
  static_cast<void>(co_await me.store().release(key, owner));
}

sim::Scenario workers(bool one_digit) {
  sim::Scenario scenario("short-tokens");
  scenario.clients(2, [=](sim::Client& me) { return work(me, one_digit); }).instants(4);
  scenario.require(sim::owner_only("lock"));
  // Without this goal, the search would also prove a lock that no client ever gets.
  scenario.sometimes("somebody works");
  return scenario;
}

TEST(ShortTokens, TwoThatAreAlikeReleaseEachOther) {
  const sim::Verdict verdict = sim::testing::check(workers(true));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_EQ(verdict.property, "only the owner releases or renews lock");
}

TEST(ShortTokens, FreshOnesAreNeverAlike) {
  EXPECT_PROVED(sim::testing::check(workers(false)));
}

}  // namespace
