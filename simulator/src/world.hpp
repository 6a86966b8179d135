// One state of the world in the open: with names, texts and everything that a reader wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.hpp"
#include "expand.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim {

// Wide enough for every scenario.
using WideState = State<std::uint32_t, 16>;

Snapshot snapshot(Engine& engine, const WideState& state);
class PossibleStep {
 public:
  WideState next;
  Detail detail;
};
// Ordinary steps first, then faults.
std::vector<PossibleStep> possible_steps(Engine& engine, const WideState& state);

RunStep tell(Engine& engine, const WideState& before, const WideState& after, const Detail& detail);

// The violation of a property that looks at a state: its number, counted from 1, or 0.
std::uint16_t check_state(Engine& engine, const WideState& state);
// Whether there is such a property.
bool looks_at_states(const Scenario& scenario);
// The number of no_deadlock(), counted from 1; 0: deadlocks are allowed.
std::uint16_t number_of_deadlock(const Scenario& scenario);
// The same as check_state(), and whether the state is a deadlock: of which a search learns when it
// asks what can follow.
std::uint16_t broken_in(Engine& engine, const WideState& state);

// A run that has not begun.
Run begin_run(Engine& engine, const WideState& state);

// The steps that a path of the search from `first` on stands for: of the clients themselves,
// whoever the search took for whom. Fewer, if no verdict is possible: Engine::why_no_verdict().
std::vector<PossibleStep> follow_path(Engine& engine,
                                      const WideState& first,
                                      const std::vector<Action>& path);

// The run that a path from the beginning stands for. `failure`: empty, or how the real coroutines
// did something else.
Run tell_run(Engine& engine, const std::vector<Action>& path, std::string& failure);
// The same of actions in the clients' own names.
Run tell_actions(Engine& engine, const std::vector<Action>& actions, std::string& failure);

// Where time has no end, a state does not know how much of it has passed, but a run does: puts the
// time of its last step right.
void date(Run& run);

// The same for a run whose steps from `loop` on go round for ever, and violate `property`. Goes
// round a few times, so that a client that does not come back to where it was is found out.
Run tell_lasso(Engine& engine,
               const std::vector<Action>& path,
               std::size_t loop,
               const std::string& property,
               std::string& failure);

}  // namespace interlock::sim
