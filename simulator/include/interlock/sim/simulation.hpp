// One world, step by step, for callers that choose who moves next or repeat a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/expected_step.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/sim/strategy.hpp"

namespace interlock::sim {

// The result of a search from the middle of a run.
class WayOn {
 public:
  // `violated`: there is a way to a violation, and none has fewer faults, or as many faults and
  // fewer steps. `proved`: no run from here on breaks a property. `incomplete`, `invalid`: see
  // Outcome.
  Outcome outcome = Outcome::incomplete;
  std::string reason;
  std::string property;              // the one that the way breaks
  std::vector<std::uint32_t> codes;  // its steps, for take()
  std::uint64_t states = 0;
};

// At every step that is taken, the real coroutines run and are compared with what was learned about
// them. Can be neither copied nor moved.
class Simulation {
 public:
  // If the scenario has a mistake (Scenario::mistake), no step is possible, and take() says why.
  explicit Simulation(Scenario scenario);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Every step that is possible now, described as if it had been taken, in the order of the search:
  // clients, time, then faults. Empty: the run has ended.
  std::vector<RunStep> choices();

  // Each step that a caller may expect now, and either which choices it is, or why it is not
  // possible: the next step of each client's tasks, requests that clients have left behind, time,
  // and for each kind of fault each client or server to which it may happen. A violation does not
  // end a run here, as in choices(). Empty if the scenario has a mistake.
  std::vector<ExpectedStep> expected_steps();

  // Takes the choice with this RunStep::code. `invalid_argument`: there is no such choice now;
  // nothing has changed. `rejected`: a client behaves differently than before, or a predicate
  // (always) depends on more than the Snapshot, or throws; the message says what.
  Result<RunStep> take(std::uint32_t code);

  // Takes the steps that `strategy` chooses, until it ends the run, nothing can happen any more, or
  // the run has `most` steps. A violation does not end it: the strategy sees what the last step
  // violates. Calls begin_run(0) first; if that is false, no step is taken. `invalid_argument`: the
  // strategy threw, or chose what there is not; `rejected`: see take(). After an error the steps
  // before it are taken. Otherwise returns how many steps it took.
  Result<std::size_t> follow(Strategy& strategy, std::size_t most = 1'000);

  // The shortest way from here to a violation. Takes no step.
  WayOn shortest_violation(const Limits& limits = {});

  // Declares that the steps from step `from` on repeat for ever (counted from 0; the number of
  // steps: nothing can, or need, happen any more), and returns the property that this violates.
  // If it violates several, it is the one that is named `property`, else the first of the scenario.
  // `invalid_argument`: the cycle is not fair, weakly or as Scenario::fairness() says, or violates
  // nothing; the message says why.
  Result<std::string> close_loop(std::size_t from, const std::string& property = {});

  // Back to the beginning.
  void restart();

  // Both references are valid until the next step or restart().
  const Snapshot& now() const;
  // All steps that were taken so far.
  const Run& run() const;
  // For each client, where its tasks wait now, or will wait first if it has not started. None of a
  // client that is done or has crashed.
  std::vector<std::vector<TaskLine>> lines() const;

 private:
  class World;
  std::unique_ptr<World> world_;
};

}  // namespace interlock::sim
