// Tests a lock of several keys: a transfer locks both accounts. If it locks them in the order in
// which they are named, two transfers wait for each other for ever; if it sorts them, every
// transfer ends.
#include <gtest/gtest.h>

#include <utility>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;

interlock::Task<void> take(sim::Client& me, interlock::Key account, int held_already) {
  const std::string taken = "1";
  for (;;) {
    // Nothing of earlier rounds matters. Without this call the search would distinguish all rounds.
    co_await me.loop_head(held_already);
    const interlock::Result<bool> mine = co_await me.store().set_if_absent(account, taken);
    if (mine && *mine) co_return;
  }
}

interlock::Task<void> transfer(sim::Client& me,
                               interlock::Key from,
                               interlock::Key to,
                               bool sorts) {
  if (sorts && to.text() < from.text()) std::swap(from, to);
  me.wants("transfer");
  co_await take(me, from, 0);
  co_await take(me, to, 1);
  me.enter("transfer");
  co_await me.leave("transfer");
  static_cast<void>(co_await me.store().erase(to));
  static_cast<void>(co_await me.store().erase(from));
}

sim::Scenario bank(bool sorts) {
  const interlock::Key a("account/a");
  const interlock::Key b("account/b");
  sim::Scenario scenario("two-accounts");
  scenario.client([=](sim::Client& me) { return transfer(me, a, b, sorts); });
  scenario.client([=](sim::Client& me) { return transfer(me, b, a, sorts); });
  scenario.require(sim::mutual_exclusion("transfer"));
  scenario.require(sim::every_waiter_acquires("transfer"));
  return scenario;
}

TEST(TwoAccounts, LockedAsNamedWaitForEachOtherForEver) {
  const sim::Verdict verdict = sim::testing::check(bank(false));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_TRUE(verdict.run.loop) << "a run that ends is no deadlock of clients who ask again";
}

TEST(TwoAccounts, LockedInOneOrderEveryTransferEnds) {
  EXPECT_PROVED(sim::testing::check(bank(true)));
}

}  // namespace
