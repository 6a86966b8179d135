// The operations on objects (Client::invokes) that begin and end in the steps of a run.
#pragma once

#include <string>
#include <vector>

#include "interlock/sim/run.hpp"
#include "model/engine.hpp"
#include "model/snapshot.hpp"
#include "model/transition.hpp"

namespace interlock::sim {

// Those of one step. An operation begins with the step after the one in which it is called.
std::vector<HistoryEvent> history_of(Engine& engine,
                                     const WideState& before,
                                     const TransitionTrace& detail,
                                     const WideState& after);

// `B: queue.pop -> 3 fits no order of the operations`, of the step that breaks linearizable().
std::string what_fits_no_order(const RunStep& step, const std::string& object);

}  // namespace interlock::sim
