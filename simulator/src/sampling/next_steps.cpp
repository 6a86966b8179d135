#include "sampling/next_steps.hpp"

#include "model/expand.hpp"

namespace interlock::sim {

NextSteps next_steps(Engine& engine, const WideState& state, StepKinds kinds) {
  NextSteps steps;
  auto emit = [&steps](const WideState& next, const Transition& detail) {
    steps.push_back(NextStep{next, detail});
  };
  Expander<WideState, Transition, decltype(emit)> expander(engine, emit);
  if (kinds != StepKinds::faulty) expander.ordinary(state);
  if (kinds != StepKinds::ordinary) expander.faulty(state);
  return steps;
}

}  // namespace interlock::sim
