// Trials by chance: the same for the same seed, with every compiler.
#pragma once

#include <cstdint>

#include "trial.hpp"

namespace interlock::sim::independent {

Trial random_trial(std::uint64_t seed);
// Other trials: their clients look at the incarnations of servers that restart and fail over.
Trial random_trial_with_incarnations(std::uint64_t seed);
// Other trials: their clients crash and begin again.
Trial random_trial_with_restarts(std::uint64_t seed);

}  // namespace interlock::sim::independent
