// The locks whose key says when they end, as scenarios: the first two of the catalogue, and what
// the tests of the search are made of.
#pragma once

#include "interlock/flawed/stamp_lock.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

using flawed::TakeOver;

// A scenario of `clients` clients. Each tries up to `attempts` times, an instant apart, enters once
// and releases; at the beginning the key holds an expired lock of a crashed client. Requires mutual
// exclusion.
Scenario stamp_lock_scenario(TakeOver take_over,
                             std::size_t clients,
                             std::int64_t attempts,
                             std::size_t instants);

}  // namespace interlock::sim::catalogue
