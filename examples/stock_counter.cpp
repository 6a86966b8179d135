// Tests your own code: a shop takes items from stock under a lease. Its first version trusts the
// lease alone, and after a long pause it writes although another client has written.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;
using namespace std::chrono_literals;

interlock::Task<void> sell(sim::Client& me) {
  const interlock::OwnerToken owner = me.tokens().fresh();
  const interlock::Key key("stock");
  const interlock::Ttl ttl(1s);
  const auto claimed = co_await me.store().claim(key, owner, ttl);
  const auto* mine = claimed ? std::get_if<interlock::Claimed>(&*claimed) : nullptr;
  if (mine == nullptr) co_return;
  const interlock::FencingToken fencing = mine->fencing;
  me.enter("stock", fencing);
  const bool written = co_await me.write("shelf", fencing);
  co_await me.leave("stock");
  if (written) static_cast<void>(co_await me.store().release(key, owner));
}

sim::Scenario shop(bool shelf_checks_tokens) {
  sim::Scenario scenario(shelf_checks_tokens ? "careful-shop" : "trusting-shop");
  scenario.clients(2, [](sim::Client& me) { return sell(me); }).instants(4);
  scenario.require(sim::fenced_writes("shelf"));
  if (shelf_checks_tokens) scenario.resource_checks_fencing("shelf");
  return scenario;
}

TEST(StockCounter, APausedShopOverwritesANewerCount) {
  const sim::Verdict verdict = sim::testing::check(shop(false));
  EXPECT_VIOLATED(verdict, "");
  EXPECT_NE(sim::draw_trace(verdict.run).find("write"), std::string::npos);
}

TEST(StockCounter, AShelfThatChecksFencingTokensRefusesIt) {
  EXPECT_PROVED(sim::testing::check(shop(true)));
}

}  // namespace
