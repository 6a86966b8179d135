// One world, step by step: for callers that choose who moves next, or that repeat a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// What a search from the middle of a run found.
class WayOn {
 public:
  // `violated`: there is a way, and none has fewer faults, nor as many in fewer steps. `proved`:
  // whatever happens from here on breaks nothing. `incomplete`, `invalid`: see Outcome.
  Outcome outcome = Outcome::incomplete;
  std::string reason;
  std::string property;              // that the way breaks
  std::vector<std::uint32_t> codes;  // its steps, for take()
  std::uint64_t states = 0;
};

// Real coroutines are run and compared with what was learned about them at every step that is
// taken.
class Simulation {
 public:
  // If the scenario has a mistake (Scenario::mistake), no step is possible, and take() says why.
  explicit Simulation(Scenario scenario);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Every step that is possible now, told as if it had been taken, in the order of the search:
  // clients, time, then what may go wrong. Empty: the end.
  std::vector<RunStep> choices();

  // Takes the choice with this RunStep::code. `invalid_argument`: there is none now; nothing has
  // changed. `rejected`: a client did something else than it did before, or a predicate (always)
  // does not answer by the Snapshot alone, or throws; the message says what.
  Result<RunStep> take(std::uint32_t code);

  // The shortest way from here to a violation. Takes no step.
  WayOn shortest_violation(const Limits& limits = {});

  // Says that the run goes on for ever as it did from step `from` on (counted from 0; as many as
  // there are: that nothing can happen any more), and gives the property that this violates.
  // `invalid_argument`: it cannot go on so in a fair world, or violates nothing; the message says
  // why.
  Result<std::string> close_loop(std::size_t from);

  // Back to the beginning.
  void restart();

  const Snapshot& now() const;
  // All that was taken so far.
  const Run& run() const;

 private:
  class World;
  std::unique_ptr<World> world_;
};

}  // namespace interlock::sim
