// The clock for leases and expiries on one machine.
#pragma once

#include <time.h>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock::posix {

// CLOCK_BOOTTIME: the same for all processes, never set, counts while the machine sleeps.
inline Duration since_boot() noexcept {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(now.tv_sec) +
                                              std::chrono::nanoseconds(now.tv_nsec));
}

// The same as an instant.
inline TimePoint local_now() noexcept {
  return TimePoint(since_boot());
}

// A duration in the form that system calls take.
inline timespec to_timespec(Duration duration) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds.count());
  time.tv_nsec = static_cast<long>(std::chrono::nanoseconds(duration - seconds).count());
  return time;
}

}  // namespace interlock::posix

#pragma GCC visibility pop
