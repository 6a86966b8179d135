// One clock for all processes, and sleeps that are as long as they say.
#pragma once

#include <sys/prctl.h>

#include <cstdint>
#include <ctime>

namespace interlock::contention {

using Nanoseconds = std::int64_t;

inline Nanoseconds now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);  // the same for all processes
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

inline void sleep_ns(Nanoseconds length) {
  timespec time{length / 1'000'000'000, length % 1'000'000'000};
  while (nanosleep(&time, &time) != 0) {
  }
}

// For the calling thread: else a section of 1 ms takes 1.06.
inline void sleep_exactly() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

}  // namespace interlock::contention
