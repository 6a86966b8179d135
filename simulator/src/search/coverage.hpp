// What a search has executed, read from its tables when it is over.
#pragma once

#include "interlock/sim/coverage.hpp"
#include "model/engine.hpp"

namespace interlock::sim {

// From the steps that were taken since the engine was made, or since Engine::forget_taken(). Call
// it before anything else asks the engine for steps.
Coverage coverage_of(const Engine& engine);

}  // namespace interlock::sim
