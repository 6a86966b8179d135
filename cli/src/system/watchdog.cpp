#include "system/watchdog.hpp"

#include <algorithm>
#include <csignal>

namespace interlock::cli {

Watchdog::Watchdog() noexcept {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  has_timer_ = ::timer_create(CLOCK_BOOTTIME, &event, &timer_) == 0;
}

Watchdog::~Watchdog() {
  if (has_timer_) ::timer_delete(timer_);
}

void Watchdog::arm(Duration delay) noexcept {
  if (!has_timer_) return;
  // Zero would disarm it.
  const Duration in = std::max(delay, Duration{1});
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(in);
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(whole.count());
  when.it_value.tv_nsec = static_cast<long>((in - whole).count() * 1000);
  ::timer_settime(timer_, 0, &when, nullptr);
}

void Watchdog::disarm() noexcept {
  if (!has_timer_) return;
  const itimerspec never{};
  ::timer_settime(timer_, 0, &never, nullptr);
}

}  // namespace interlock::cli
