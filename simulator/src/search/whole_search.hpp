// The parts of an exhaustive search of a scenario, from its beginning to its verdict.
#pragma once

#include <string>
#include <utility>

#include "audit/rehearsal.hpp"
#include "base/longest.hpp"
#include "interlock/sim/explore.hpp"
#include "model/engine.hpp"
#include "scenario/told_bounds.hpp"
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
template <class Once>
Verdict explore_by(const Scenario& scenario, LongestGuess guess, Once once) {
  Scenario settled = scenario;
  Verdict verdict;
  do {
    guess.settle(settled);
    Duration longer{0};
    verdict = once(std::as_const(settled), longer);
    guess.learn(longer);
    const Scenario& told = told_of(scenario, settled, longer);
    verdict.bounds.replace(0, settled.bounds().size(), told.bounds());
  } while (guess.is_new());
  return verdict;
}

}  // namespace interlock::sim
