#include "interlock/local_clock.hpp"

#include "interlock/posix/clock.hpp"

namespace interlock {

TimePoint local_now() noexcept {
  return posix::local_now();
}

}  // namespace interlock
