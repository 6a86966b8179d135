// Trials by chance in which something that others can see ends with a client's answer: whether it
// listens, or that it believes to hold a lock.
#pragma once

#include <cstdint>

#include "trial.hpp"

namespace interlock::sim::independent {

Trial trial_of_last_answers(std::uint64_t seed);

}  // namespace interlock::sim::independent
