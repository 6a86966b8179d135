// Waiting for what other threads or processes are going to do.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "interlock/local_clock.hpp"

namespace interlock::test {

// Asks every millisecond until `condition` is true. False: it was not after twenty seconds, which
// is no measure of how fast anything should be.
inline bool eventually(const std::function<bool()>& condition) {
  const TimePoint limit = local_now() + std::chrono::seconds(20);
  while (!condition()) {
    if (local_now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace interlock::test
