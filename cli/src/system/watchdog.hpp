// A watchdog timer: ends this process even if the process cannot run.
#pragma once

#include <ctime>

#include "interlock/vocabulary.hpp"

namespace interlock::cli {

// A timer of the kernel that sends KILL to this process, which also ends a process that is stopped.
// Without effect if the system has no timer left. For one thread.
class Watchdog {
 public:
  Watchdog() noexcept;
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // By CLOCK_BOOTTIME. Replaces what was armed before.
  void arm(Duration delay) noexcept;
  void disarm() noexcept;

 private:
  timer_t timer_{};
  bool has_timer_ = false;
};

}  // namespace interlock::cli
