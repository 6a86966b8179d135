// The parts of an exhaustive search of a scenario, from its beginning to its verdict.
#pragma once

#include <functional>
#include <string>

#include "audit/rehearsal.hpp"
#include "base/longest.hpp"
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

// Searches with `once`, and where time has no end, again until the guess is right. `once` is given
// the scenario with the guess, and sets the Duration to what it should have been, if it was too
// short.
Verdict explore_by(const Scenario& scenario,
                   LongestGuess guess,
                   const std::function<Verdict(const Scenario& settled, Duration& longer)>& once);

}  // namespace interlock::sim
