// Tests programs that use operations of their own: a pool of two permits, for three clients. Who
// reads the number first and then sets it admits three; who takes a permit in one step does not.
#include <gtest/gtest.h>

#include <algorithm>

#include "interlock/sim/testing.hpp"
#include "operations.hpp"

namespace {

namespace sim = interlock::sim;
using interlock::Value;

interlock::Task<bool> take_in_two_steps(sim::Client& me, interlock::Key permits) {
  const auto left = co_await me.store().get(permits);
  if (!left || !*left || **left == "0") co_return false;
  const auto set = co_await me.store().set(permits, **left == "2" ? "1" : "0");
  co_return set.has_value();
}

interlock::Task<void> work(sim::Client& me, bool at_once) {
  const interlock::Key permits("permits");
  bool mine = false;
  if (at_once) {
    const auto taken = co_await me.store().run(own_operations::take_one, permits);
    mine = taken && *taken == Value(std::int64_t{1});
  } else {
    mine = co_await take_in_two_steps(me, permits);
  }
  if (!mine) co_return;
  me.enter("pool");
  co_await me.leave("pool");
  static_cast<void>(co_await me.store().increment(permits));
}

sim::Scenario pool(bool at_once) {
  sim::Scenario scenario("pool");
  scenario.clients(3, [at_once](sim::Client& me) { return work(me, at_once); });
  scenario.initially(interlock::Key("permits"), interlock::Entry("2"));
  return scenario.require(sim::always("two at most are inside", [](const sim::Snapshot& world) {
    return std::count_if(world.clients.begin(), world.clients.end(),
                         [](const auto& client) { return !client.inside.empty(); }) <= 2;
  }));
}

TEST(OwnOperations, APermitThatIsTakenInTwoStepsIsTakenTwice) {
  EXPECT_VIOLATED(sim::testing::check(pool(false)), "");
}

TEST(OwnOperations, APermitThatIsTakenAtOnceIsTakenOnce) {
  EXPECT_PROVED(sim::testing::check(pool(true)));
}

}  // namespace
