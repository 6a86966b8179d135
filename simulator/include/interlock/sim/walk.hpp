// One run out of many, chosen by numbers: for random testing of what is too large to be explored.
#pragma once

#include <cstdint>
#include <vector>

#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// Each number takes a step: 0 lets the client go on that moved last, and greater ones are, in this
// order, the steps of the others, time, and faults. So a run shrinks by its numbers becoming 0 to
// one with few preemptions and few faults. When the numbers are used up, everybody goes on by
// 0 to the end, at most `steps` steps in all. Ends at the first violation.
Run walk(const Scenario& scenario,
         const std::vector<std::uint32_t>& picks,
         std::size_t steps = 200);

}  // namespace interlock::sim
