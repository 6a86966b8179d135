// Trials by chance: the same for the same seed, with every compiler.
#pragma once

#include <cstdint>

#include "trial.hpp"

namespace interlock::sim::independent {

Trial random_trial(std::uint64_t seed);

}  // namespace interlock::sim::independent
