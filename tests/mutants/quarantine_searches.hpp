// The searches of the locks at a store with a quarantine, which fails over or loses its data.
#pragma once

#include "interlock/sim/catalogue/quarantine.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::mutants {

// Three clients, some of which give up, at a store that does this once. No two are inside within
// their leases.
sim::Scenario quarantine(sim::catalogue::WithQueue queues, sim::Fault fault);

}  // namespace interlock::mutants
