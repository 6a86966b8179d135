#include "interlock/local_clock.hpp"

#include "interlock/posix/clock.hpp"

namespace interlock {

TimePoint local_now() noexcept {
  return TimePoint(posix::since_boot());
}

}  // namespace interlock
