// What can go wrong in a world: faults.hpp's comments, once more. (But a pause, which is time
// passing, is among the moves.)
#pragma once

#include <vector>

#include "steps.hpp"

namespace interlock::sim::independent {

std::vector<Step> mishaps_in(const World& world, const Trial& trial, Grain grain);

}  // namespace interlock::sim::independent
