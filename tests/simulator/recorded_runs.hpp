// Runs that are written down instead of searched for: two that the documentation shows, and random
// ones for properties of drawings and schedules.
#pragma once

#include "interlock/sim/run.hpp"

namespace interlock::sim::testing {

// The classic race: C0 is dead, C1 and C2 both saw its old lock, C3 comes too late.
Run setnx_race();

// The same beginning with GETSET: C3 wins, C4 loses.
Run getset_race();

// Any run with `clients` clients, from whatever numbers `draw(bound)` gives in [0, bound).
template <class Draw>
Run random_run(Draw draw);

}  // namespace interlock::sim::testing

#include "random_run.hpp"
