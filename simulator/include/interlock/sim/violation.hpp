// Where a run breaks a property: the first step that breaks one makes the run a violation, whatever
// follows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "interlock/sim/run.hpp"

namespace interlock::sim {

// The step that breaks a property, counted from 0; none: no step does.
std::optional<std::size_t> violating_step(const Run& run);

// The property that this step breaks; empty: no step breaks one.
std::string violated_property(const Run& run);

}  // namespace interlock::sim
