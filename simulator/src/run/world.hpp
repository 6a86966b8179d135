// Runs with names and texts: the steps that a path of the search stands for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/run.hpp"
#include "model/engine.hpp"
#include "model/snapshot.hpp"
#include "model/transition.hpp"
#include "run/possible_steps.hpp"

namespace interlock::sim {

RunStep tell(Engine& engine,
             const WideState& before,
             const WideState& after,
             const TransitionTrace& detail);

// A run that has not begun.
Run begin_run(Engine& engine, const WideState& state);

// The steps for which a path of the search from `first` on stands, with each client under its own
// name: the search exchanges identical clients. `real`: which client of the world each client of
// the search is at first; any but itself only where the search merges identical clients. Fewer
// steps, if no verdict is possible: Engine::why_no_verdict().
std::vector<TracedStep> follow_path(Engine& engine,
                                    const WideState& first,
                                    const std::vector<Action>& path,
                                    Permutation real = Permutation());

// The run for which a path from the beginning stands. `failure`: says how the real coroutines did
// something else; empty: they did the same.
Run tell_run(Engine& engine, const std::vector<Action>& path, std::string& failure);
// The same of actions in the clients' own names.
Run tell_actions(Engine& engine, const std::vector<Action>& actions, std::string& failure);

// Where time has no end, a state does not know how much of it has passed, but a run does: puts the
// time of its last step right.
void date(Run& run);

// The same for a run whose steps from `loop` on go round for ever, and violate `property`. Goes
// round a few times, and so finds a client that does not come back to where it was.
Run tell_lasso(Engine& engine,
               const std::vector<Action>& path,
               std::size_t loop,
               const std::string& property,
               std::string& failure);

}  // namespace interlock::sim
