// What runs look up instead of working it out is what the engine says, also after it was forgotten.
#include "sampling/walked_states.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "model/state_properties.hpp"

namespace interlock::sim {
namespace {

using StepSeen = std::tuple<std::uint32_t, std::uint16_t>;

Scenario stamps(std::size_t clients, std::int64_t attempts) {
  return catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, clients, attempts, 2)
      .faults(FaultBudget().allow(Fault::crash));
}

// The code and what it breaks, of each step from a state.
std::multiset<StepSeen> looked_up(WalkedStates& walked, std::uint32_t state) {
  std::multiset<StepSeen> all;
  for (const auto groups : {walked.ordinary(state), walked.faulty(state)}) {
    for (std::uint32_t at = 0; at < groups.count; ++at) {
      const WalkedStates::StepGroup group = walked.group(groups.first + at);
      for (std::uint32_t step = group.first; step < group.first + group.count; ++step) {
        all.emplace(walked.step(step).action.code(), walked.broken_by(state, step));
      }
    }
  }
  return all;
}

std::multiset<StepSeen> worked_out(Engine& engine, const WideState& state) {
  std::multiset<StepSeen> all;
  for (const BriefStep& step : possible_steps<Transition>(engine, state)) {
    all.emplace(step.detail.action.code(), broken_by(engine, state, step.detail, step.next));
  }
  return all;
}

// The first steps that are possible, one after the other, to the end of a run.
std::uint32_t walk_on(WalkedStates& walked, std::uint32_t state, std::uint32_t most) {
  std::uint32_t steps = 0;
  for (; steps < most; ++steps) {
    const WalkedStates::StepGroups groups = walked.ordinary(state);
    if (groups.count == 0) break;
    const std::uint32_t step = walked.group(groups.first + steps % groups.count).first;
    walked.broken_by(state, step);
    state = walked.step(step).next;
  }
  return steps;
}

TEST(WalkedStates, HaveTheStepsOfTheEngine) {
  const Scenario scenario = stamps(2, 1);
  Engine engine(scenario, Limits());
  WalkedStates walked(engine);
  std::uint32_t state = walked.begin_run();
  EXPECT_EQ(walked.state(state), engine.initial<WideState>());
  std::uint32_t length = 0;
  for (;; ++length) {
    EXPECT_EQ(looked_up(walked, state), worked_out(engine, walked.state(state))) << length;
    const std::uint64_t learned = walked.learned();
    EXPECT_EQ(looked_up(walked, state), worked_out(engine, walked.state(state))) << length;
    EXPECT_EQ(walked.learned(), learned) << "what is known is not asked again";
    const WalkedStates::StepGroups groups = walked.ordinary(state);
    if (groups.count == 0) break;
    state = walked.step(walked.group(groups.first + length % groups.count).first).next;
  }
  EXPECT_GT(length, 5U);
}

TEST(WalkedStates, LearnNothingWhileTheyMustNot) {
  const Scenario scenario = stamps(2, 1);
  Engine engine(scenario, Limits());
  WalkedStates walked(engine);
  const std::uint32_t first = walked.begin_run();
  const WalkedStates::StepGroups groups = walked.ordinary(first);
  const std::uint32_t step = walked.group(groups.first).first;
  walked.learn(false);
  EXPECT_FALSE(walked.faulty(first).is_known());
  EXPECT_EQ(walked.broken_by(first, step), WalkedStates::not_judged);
  walked.learn(true);
  EXPECT_NE(walked.broken_by(first, step), WalkedStates::not_judged);
  walked.learn(false);
  EXPECT_FALSE(walked.ordinary(walked.step(step).next).is_known());
  walked.learn(true);
  EXPECT_TRUE(walked.ordinary(walked.step(step).next).is_known());
}

TEST(WalkedStates, ForgetWhatIsTooMuchBetweenTwoRuns) {
  const Scenario scenario = stamps(6, 3);
  Engine engine(scenario, Limits());
  WalkedStates walked(engine, 20);
  bool forgot = false;
  std::size_t known = 0;
  for (std::uint32_t run = 0; run < 20; ++run) {
    const std::uint32_t first = walked.begin_run();
    forgot = forgot || walked.size() < known;
    EXPECT_LE(walked.size(), 20U);
    EXPECT_EQ(looked_up(walked, first), worked_out(engine, walked.state(first)));
    EXPECT_GT(walk_on(walked, first, 10 + run), 5U);
    known = walked.size();
  }
  EXPECT_TRUE(forgot);
}

}  // namespace
}  // namespace interlock::sim
