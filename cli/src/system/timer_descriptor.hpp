// A timer as a descriptor.
#pragma once

#include "interlock/vocabulary.hpp"

namespace interlock::cli {

// Its clock goes on while the machine sleeps, as leases do.
class TimerDescriptor {
 public:
  // Throws std::system_error, if the system has no descriptor left for it.
  TimerDescriptor();
  TimerDescriptor(const TimerDescriptor&) = delete;
  TimerDescriptor& operator=(const TimerDescriptor&) = delete;
  ~TimerDescriptor();

  // Readable after `delay`; arming again replaces, and makes it unreadable until then.
  void arm(Duration delay);
  void disarm();
  // Whether the delay has passed. Once for each arm().
  bool take();
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace interlock::cli
