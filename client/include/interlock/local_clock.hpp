// The real local clock.
#pragma once

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// CLOCK_BOOTTIME: never jumps, whatever is done to the wall clock, and counts on while the machine
// sleeps, as the store's clock does. The same for all processes of a machine. Any thread.
TimePoint local_now() noexcept;

}  // namespace interlock

#pragma GCC visibility pop
