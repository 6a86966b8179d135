// Runs whose steps your own strategy chooses, beside all runs (explore.hpp) and random ones
// (random_search.hpp). A strategy can go first where you expect a failure, repeat what a log says,
// or try out another way to search. A replay and a sequence of choices are strategies, too
// (Simulation::follow). Compare the Scheduler of Shuttle (github.com/awslabs/shuttle).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "interlock/sim/random_search.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// An exception of its functions ends the search: the verdict is `invalid` and says what was thrown.
class Strategy {
 public:
  // What choose() returns to end a run before nothing more can happen.
  static constexpr std::size_t end_of_run = ~std::size_t{0};

  virtual ~Strategy() = default;

  // A run begins; the first of a search has the number 0. False ends the search. Where time has no
  // end, a search may have to begin anew: the number is 0 once more.
  virtual bool begin_run(std::uint64_t run) = 0;

  // Returns the index of the choice that the run takes next, or `end_of_run`. Another index that is
  // out of range makes the verdict `invalid`. `choices` are all steps that are possible now, each
  // described as if it had been taken, in the order of the search: clients, time, then faults.
  // There is at least one. `so_far` has the steps that the run has taken. Neither may be used after
  // this returns.
  virtual std::size_t choose(const Run& so_far, const std::vector<RunStep>& choices) = 0;
};

class StrategySearch {
 public:
  std::uint64_t runs = 10'000;
  std::size_t steps = 1'000;  // a longer run is cut off
  // Called every so often, also within a run; false ends the search.
  std::function<bool(const RandomProgress&)> proceed;
};

// Calls the strategy from this thread. As with search_at_random(), the verdict is never `proved`,
// and liveness properties are left out. A step takes about ten times as long as there, because the
// search describes all choices in words.
RandomVerdict search_by(const Scenario& scenario,
                        Strategy& strategy,
                        const StrategySearch& how = {});

}  // namespace interlock::sim
