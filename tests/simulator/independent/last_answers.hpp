// Random trials in which something that others can see ends with a client's answer: its
// subscription, or its belief that it holds a lock.
#pragma once

#include <cstdint>

#include "trial.hpp"

namespace interlock::sim::independent {

Trial trial_of_last_answers(std::uint64_t seed);

}  // namespace interlock::sim::independent
