// A run that somebody takes by choosing each step.
#pragma once

#include <cstddef>

#include "interlock/sim/simulation.hpp"

namespace interlock::sim::testing {

// `draw(bound)` gives numbers in [0, bound); 0 takes the first choice, which is the first client
// that can move.
template <class Draw>
Run walk(Simulation& simulation, std::size_t steps, Draw draw) {
  for (std::size_t taken = 0; taken < steps; ++taken) {
    const std::vector<RunStep> choices = simulation.choices();
    if (choices.empty()) break;
    if (!simulation.take(choices[draw(choices.size())].code)) break;
  }
  return simulation.run();
}

}  // namespace interlock::sim::testing
