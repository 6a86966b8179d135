// A state as predicates and readers see it: with names and texts.
#pragma once

#include <cstdint>

#include "interlock/sim/run.hpp"
#include "model/engine.hpp"

namespace interlock::sim {

// Wide enough for every scenario.
using WideState = State<std::uint32_t, 16>;

Snapshot snapshot(Engine& engine, const WideState& state);

// The key that a server drops in this step, an eviction; `before` is the world before the step.
// Others of its keys may end in the same step, when their time is over.
const KeyView& evicted_key(const Snapshot& before, const RunStep& step);

}  // namespace interlock::sim
