// Asks the user's properties of steps about the steps that a search has found. The search keeps
// only how each state is numbered, under names that may be exchanged; so this takes the step once
// more, from the state where it begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interlock/detail/assert.hpp"
#include "model/state_properties.hpp"
#include "run/possible_steps.hpp"

namespace interlock::sim {

template <class S>
WideState widened(const Engine& engine, const S& state) {
  WideState wide{};
  for (std::size_t component = 0; component < engine.components(); ++component)
    wide.set(component, state[component]);
  return wide;
}

class StepCheck {
 public:
  explicit StepCheck(Engine& engine) : engine_(engine) {}

  // The property that the action breaks in the state with this number, or in an arrangement of it
  // (Breach); 0: none.
  template <class S>
  std::uint16_t look(std::uint32_t number, const S& state, std::uint32_t action) {
    const Action taken = Action::from_code(action);
    const StepKinds kinds = taken.fault() ? StepKinds::faulty : StepKinds::ordinary;
    // The steps from one state are found one after another.
    if (number != number_ || kinds != kinds_ || steps_.empty()) {
      number_ = number;
      kinds_ = kinds;
      before_ = widened(engine_, state);
      steps_ = possible_steps<Transition>(engine_, before_, kinds);
    }
    const auto step = std::find_if(steps_.begin(), steps_.end(), [&](const BriefStep& one) {
      return one.detail.action == taken;
    });
    INTERLOCK_ASSERT(step != steps_.end() || !engine_.why_no_verdict().empty());
    if (step == steps_.end()) return 0;
    return breach_of_step(engine_, before_, taken, step->next).property;
  }

 private:
  Engine& engine_;
  std::uint32_t number_ = 0;
  StepKinds kinds_ = StepKinds::ordinary;
  WideState before_;
  std::vector<BriefStep> steps_;
};

}  // namespace interlock::sim
