// The next step in words, for a player who does not know yet what will come of it.
#pragma once

#include <string>

#include "interlock/sim/run.hpp"

namespace interlock::sim {

// `A`, `A/renewal`, `world`
std::string mover_text(const Run& run, const RunStep& step);

// `DEL lock.foo`, `crashes`, `1000 ms pass`. `run` is what led to it; owner tokens are named as in
// drawings of the run with this step. If there are several servers, it says which of them is meant.
std::string move_text(const Run& run, const RunStep& step, std::size_t servers);

}  // namespace interlock::sim
