// A time longer than any lease, sleep or search.
#pragma once

#include <chrono>

#include "interlock/time_source.hpp"

namespace interlock::sim {

// No lease, sleep or clock should reach farther, and sums of such times do not overflow.
inline constexpr Duration century = std::chrono::hours{24 * 365 * 100};

}  // namespace interlock::sim
