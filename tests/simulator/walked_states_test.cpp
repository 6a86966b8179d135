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

// Takes the first step of another mover each time, to the end of a run, and looks whether each
// leads to where the engine's own step leads. Each run takes another way.
std::uint32_t walk_on(Engine& engine,
                      WalkedStates& walked,
                      std::uint32_t state,
                      std::uint32_t run) {
  std::uint32_t steps = 0;
  for (;; ++steps) {
    const WalkedStates::StepGroups groups = walked.ordinary(state);
    if (groups.count == 0) return steps;
    const std::uint32_t step = walked.group(groups.first + (steps + run) % groups.count).first;
    const auto own =
        possible_step<Transition>(engine, walked.state(state), walked.step(step).action);
    walked.broken_by(state, step);
    state = walked.step(step).next;
    if (!own || walked.state(state) != own->next) {
      // Not further: wrong steps may lead in a circle.
      ADD_FAILURE() << "step " << steps << " leads elsewhere than the engine's";
      return steps;
    }
  }
}

TEST(WalkedStates, HaveTheStepsOfTheEngine) {
  const Scenario scenario = stamps(2, 1);
  Engine engine(scenario, Limits());
  WalkedStates walked(engine);
  EXPECT_EQ(walked.state(walked.begin_run()), engine.initial<WideState>());
  bool some_step_breaks = false;
  for (std::uint32_t state = 0; state < walked.size(); ++state) {
    const WideState world = walked.state(state);
    ASSERT_EQ(looked_up(walked, state), worked_out(engine, world)) << state;
    const std::uint64_t learned = walked.learned();
    ASSERT_EQ(looked_up(walked, state), worked_out(engine, world)) << state;
    EXPECT_EQ(walked.learned(), learned) << "what is known is not asked again";
    for (const BriefStep& step : possible_steps<Transition>(engine, world)) {
      some_step_breaks = some_step_breaks || step.detail.violation != 0;
    }
  }
  EXPECT_GT(walked.size(), 100U);
  EXPECT_TRUE(some_step_breaks);
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
    EXPECT_GT(walk_on(engine, walked, first, run), 20U);
    known = walked.size();
  }
  EXPECT_TRUE(forgot);
}

}  // namespace
}  // namespace interlock::sim
