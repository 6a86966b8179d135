// A trial for the simulator: its programs as coroutines over sim::Client.
#pragma once

#include "interlock/sim/scenario.hpp"
#include "trial.hpp"

namespace interlock::sim::independent {

Scenario as_scenario(const Trial& trial);

}  // namespace interlock::sim::independent
