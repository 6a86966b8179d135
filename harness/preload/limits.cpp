#include "limits.hpp"

#include <stdlib.h>
#include <sys/syscall.h>

#include "java.hpp"

namespace interlock_preload {

bool is_time_simulated() {
  if (getenv("INTERLOCK_CLOCKS") != nullptr || getenv("INTERLOCK_CONTROL") == nullptr) return false;
  if (is_thread_of_java()) return false;
  refuse_other_thread("waits with a limit");
  return is_client_thread();
}

int64_t left_until(clockid_t clock, const timespec& limit) {
  timespec now{};
  clock_gettime(clock, &now);
  return in_nanoseconds(limit) - in_nanoseconds(now);
}

timespec by_machine(clockid_t clock, const timespec& limit) {
  if (!is_client_thread()) return limit;
  timespec now{};
  ask_machine(SYS_clock_gettime, clock, &now);
  const int64_t until = in_nanoseconds(now) + left_until(clock, limit);
  return {until / second, until % second};
}

timespec in_a_moment(clockid_t clock) {
  timespec until{};
  ask_machine(SYS_clock_gettime, clock, &until);
  until.tv_nsec += 100'000;
  if (until.tv_nsec >= second) {
    until.tv_nsec -= second;
    ++until.tv_sec;
  }
  return until;
}

}  // namespace interlock_preload
