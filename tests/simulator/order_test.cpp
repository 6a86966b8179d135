// A run repeated by the order in which its clients move.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/regression.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim {
namespace {

Scenario scenario(std::string_view name) {
  return *catalogue::build(name, {});
}

std::string order_that_breaks(std::string_view name) {
  return order_of(explore(scenario(name)).run);
}

bool holds(const Scenario& scenario, const std::string& order) {
  return static_cast<bool>(testing::holds_in_order("scenario", "order", scenario, order));
}

TEST(Order, TheRunThatBreaksALockBreaksItAgain) {
  for (const char* name : {"del-setnx-lock", "setnx-crash", "clock-jump", "lost-reply-retry-del",
                           "semaphore-skew", "watchdog-zombie"}) {
    EXPECT_FALSE(holds(scenario(name), order_that_breaks(name))) << name;
  }
}

TEST(Order, TheRepairedLockHoldsInIt) {
  for (const auto& entry : catalogue::entries()) {
    if (entry.slow || entry.repaired().empty()) continue;
    if (catalogue::find(entry.repaired())->slow) continue;
    EXPECT_TRUE(holds(scenario(entry.repaired()), order_that_breaks(entry.name))) << entry.name;
  }
}

TEST(Order, ALoopIsRepeated) {
  const Scenario broken =
      *catalogue::build("starvation-spin", {{"property", "every-waiter-acquires"}});
  const sim::Run run = explore(broken).run;
  ASSERT_TRUE(run.loop);
  const std::string order = order_of(run);
  EXPECT_NE(order.find("( "), std::string::npos) << order;
  EXPECT_FALSE(holds(broken, order));
  EXPECT_TRUE(holds(broken, order.substr(0, order.find(" (")))) << "nothing repeats here";
}

TEST(Order, StepsThatAreNotPossibleAreLeftOut) {
  EXPECT_TRUE(holds(scenario("stamp-lock"), "1 nonsense x1 1 8 2 2 ( 2 )"));
  EXPECT_TRUE(holds(scenario("stamp-lock"), ""));
  EXPECT_FALSE(holds(scenario("del-setnx-lock"), "8 1 2 2 x1 1 1 1 2 2 1 1 1"));
}

TEST(Regression, NamesAndTextsCannotBreakTheFile) {
  sim::Run run;
  run.scenario = "9 \"odd\" \\name\\";
  run.clients = {"A"};
  RegressionSource source;
  source.scenario = "mine()";
  source.written_by = "a command \\";
  const std::string text = regression_test(run, source);
  EXPECT_NE(text.find("TEST(Lock9OddNameRegression, HoldsInEveryRun)"), std::string::npos) << text;
  EXPECT_EQ(text.find("\\\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace interlock::sim
