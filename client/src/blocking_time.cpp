#include "blocking_time.hpp"

#include <time.h>

#include <cerrno>

#include "interlock/local_clock.hpp"
#include "interlock/posix/clock.hpp"

namespace interlock {

TimePoint BlockingTime::now() {
  return local_now();
}

bool BlockingTime::park(PendingSleep& sleep) {
  const timespec until = posix::to_timespec(sleep.until().time_since_epoch());
  while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  return false;
}

}  // namespace interlock
