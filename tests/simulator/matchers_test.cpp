// The matchers must be able to fail, and say why.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;

Scenario broken() {
  return stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1);
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Matchers, AFailedProofShowsTheRunAndHowToRepeatIt) {
  const auto result = testing::is_proved("verdict", testing::check(broken()));
  ASSERT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("8 steps · VIOLATION"), std::string::npos) << message;
  EXPECT_NE(message.find("INTERLOCK_REPLAY=del-setnx-lock:"), std::string::npos) << message;
}

TEST(Matchers, AnotherTraceIsNamedByItsFirstLine) {
  const Verdict verdict = testing::check(broken());
  std::string trace = draw_trace(verdict.run);
  EXPECT_TRUE(testing::is_violated("v", "t", verdict, "\n# nothing\n  " + trace + "\n"));
  trace.replace(trace.find("GET -> 50"), 9, "GET -> 51");
  const auto result = testing::is_violated("v", "t", verdict, trace);
  ASSERT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("GET -> 51"), std::string::npos);
  EXPECT_FALSE(testing::is_violated("v", "t", verdict, "A B"));
  const Verdict proved = testing::check(stamp_lock_scenario(TakeOver::getset, 2, 1, 1));
  EXPECT_FALSE(testing::is_violated("v", "t", proved, ""));
  EXPECT_TRUE(testing::is_proved("v", proved));
}

TEST(Matchers, TheEnvironmentBoundsAndReplacesTheSearch) {
  {
    const Variable states("INTERLOCK_MAX_STATES", "5");
    EXPECT_EQ(testing::check(broken()).outcome, Outcome::incomplete);
  }
  {
    const Variable run("INTERLOCK_REPLAY", "del-setnx-lock:11221122");
    const Verdict verdict = testing::check(broken());
    EXPECT_EQ(verdict.outcome, Outcome::violated);
    EXPECT_EQ(verdict.states, 0U);
    // It names another scenario's run: this one is searched.
    EXPECT_EQ(testing::check(stamp_lock_scenario(TakeOver::getset, 2, 1, 1)).outcome,
              Outcome::proved);
  }
  {
    const Variable run("INTERLOCK_REPLAY", "del-setnx-lock:1122");
    EXPECT_EQ(testing::check(broken()).reason, "INTERLOCK_REPLAY violates nothing");
  }
}

TEST(Walk, ZeroesLetOneClientRunToItsEndBeforeTheNext) {
  const sim::Run run = run_of_choices(broken(), {});
  ASSERT_FALSE(run.empty());
  std::size_t switches = 0;
  for (std::size_t at = 1; at < run.steps.size(); ++at) {
    if (run.steps[at].client != run.steps[at - 1].client) ++switches;
  }
  EXPECT_EQ(switches, 1U) << describe(run);
  EXPECT_TRUE(testing::is_sound("run", run));
}

TEST(Walk, SomePicksFindTheRaceAndItsRunEndsThere) {
  std::size_t found = 0;
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    std::vector<std::uint32_t> picks;
    for (std::uint32_t bit = 0; bit < 11; ++bit) picks.push_back(seed >> bit & 1);
    const sim::Run run = run_of_choices(broken(), picks);
    if (!testing::is_sound("run", run)) ++found;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace interlock::sim
