// The run of a choice sequence (as in Hypothesis): for random tests of state spaces that are too
// large to be explored.
#pragma once

#include <cstdint>
#include <vector>

#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// Each number chooses a step: 0 lets the client go on that moved last; greater numbers are, in this
// order, the steps of the others, time, and faults. So a run whose numbers shrink to 0 gets few
// preemptions and few faults. After the last number every choice is 0, up to the end of the run or
// to `steps` steps in all. The run ends at the first violation.
Run run_of_choices(const Scenario& scenario,
                   const std::vector<std::uint32_t>& choices,
                   std::size_t steps = 200);

}  // namespace interlock::sim
