// What a run breaks: its first step that breaks a property makes it a violation, whatever follows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "interlock/sim/run.hpp"

namespace interlock::sim {

// Counted from 0. Null: no step breaks anything.
std::optional<std::size_t> violating_step(const Run& run);

// The property that this step breaks; empty: no step breaks anything.
std::string violated_property(const Run& run);

}  // namespace interlock::sim
