// One function for each file of scenarios: a failure, and after it its repairs.
#pragma once

#include <vector>

#include "interlock/sim/catalogue.hpp"

namespace interlock::sim::catalogue {

using Entries = std::vector<Entry>;

inline constexpr Expected proved{};
constexpr Expected violated(std::string_view property, std::size_t steps, std::size_t faults = 0) {
  return {Outcome::violated, property, steps, faults};
}

// locks/
Entries del_setnx_lock();
Entries stamp_lock();
Entries lease_lock();
Entries queue_lock();

}  // namespace interlock::sim::catalogue
