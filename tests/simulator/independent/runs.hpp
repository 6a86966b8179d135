// Runs that the simulator tells, held against what the explorer says is possible, and against
// themselves: written down and replayed.
#pragma once

#include <cstdint>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"
#include "trial.hpp"

namespace interlock::sim::independent {

// All give an empty text, or what is wrong.

// That each step is possible, and the last one breaks what it says.
std::string why_not(const Run& run, const Trial& trial);
// That the run can be written down in both forms, read and replayed.
std::string mistold(const Run& run, const Scenario& scenario);
// A run by chance through Simulation: at each step its choices are those of the explorer.
std::string wrong_choices(const Trial& trial, const Scenario& scenario, std::uint64_t seed);
// Runs by chance break nothing that the explorer says cannot be broken, and what breaks something
// is a run, also when it was made shorter.
std::string wrong_at_random(const Trial& trial, const Scenario& scenario, bool can_be_broken);

}  // namespace interlock::sim::independent
