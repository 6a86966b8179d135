// The parts of an exhaustive search of a scenario, from its beginning to its verdict.
#pragma once

#include <string>

#include "audit/rehearsal.hpp"
#include "interlock/sim/explore.hpp"
#include "model/engine.hpp"
#include "search/search.hpp"

namespace interlock::sim {

// Empty, or why the scenario cannot be searched.
std::string mistake_in(const Scenario& scenario);

// From the first state on.
SearchResult search_whole(Engine& engine, const Limits& limits);

// What the engine's search has found. `rehearsal` was begun before anything was learned.
Verdict verdict_of(Engine& engine, const Limits& limits, SearchResult found, Rehearsal& rehearsal);

}  // namespace interlock::sim
