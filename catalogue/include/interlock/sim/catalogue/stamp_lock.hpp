// The locks whose key says when they end, as scenarios: the first two of the catalogue, and what
// the tests of the search are made of.
#pragma once

#include "interlock/flawed/stamp_lock.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

using flawed::TakeOver;

// `clients` of them, each tries up to `attempts` times, an instant apart, enters once and releases;
// an expired lock of a crashed one is in their way. Mutual exclusion is required.
Scenario stamp_lock_scenario(TakeOver take_over,
                             std::size_t clients,
                             std::int64_t attempts,
                             std::size_t instants);

}  // namespace interlock::sim::catalogue
