// Whether each kind of step is possible in a state, and why not, in words.
#pragma once

#include <vector>

#include "interlock/sim/expected_step.hpp"
#include "model/engine.hpp"
#include "model/snapshot.hpp"

namespace interlock::sim {

// Those of each client, then time, then the faults in the order of their kinds.
std::vector<ExpectedStep> expected_steps(Engine& engine, const WideState& state);

}  // namespace interlock::sim
