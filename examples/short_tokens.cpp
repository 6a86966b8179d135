// Chance under test: `choose` is a branch of the search, so that "unlikely" counts as possible. An
// owner token of one random digit is drawn twice, and a late release deletes another's lock.
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
  // Deletes the key if it holds this token: right, if nobody else has the same.
  static_cast<void>(co_await me.store().release(key, owner));
}

sim::Scenario workers(bool one_digit) {
  sim::Scenario scenario("short-tokens");
  scenario.clients(2, [=](sim::Client& me) { return work(me, one_digit); }).instants(4);
  scenario.require(sim::owner_only("lock"));
  // Without this a lock that nobody ever gets would be proved as well.
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
