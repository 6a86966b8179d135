// A state in the open, as predicates and readers see it: with names and texts.
#pragma once

#include <cstdint>

#include "engine.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim {

// Wide enough for every scenario.
using WideState = State<std::uint32_t, 16>;

Snapshot snapshot(Engine& engine, const WideState& state);

}  // namespace interlock::sim
