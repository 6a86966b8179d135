#include "system/timer_descriptor.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace interlock::cli {

TimerDescriptor::TimerDescriptor()
    : descriptor_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
}

TimerDescriptor::~TimerDescriptor() {
  ::close(descriptor_);
}

void TimerDescriptor::arm(Duration delay) {
  // Zero would disarm it.
  const Duration in = std::max(delay, Duration{1});
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(in);
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(whole.count());
  when.it_value.tv_nsec = static_cast<long>((in - whole).count() * 1000);
  ::timerfd_settime(descriptor_, 0, &when, nullptr);
}

void TimerDescriptor::disarm() {
  const itimerspec never{};
  ::timerfd_settime(descriptor_, 0, &never, nullptr);
}

bool TimerDescriptor::take() {
  std::uint64_t times = 0;
  return ::read(descriptor_, &times, sizeof times) == static_cast<ssize_t>(sizeof times);
}

}  // namespace interlock::cli
