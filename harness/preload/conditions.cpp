// Waits for another thread with a limit: condition variables and semaphores.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.hpp"
#include "java.hpp"
#include "links.hpp"

namespace interlock_preload {
namespace {

// The clock that pthread_cond_init was told, as glibc notes it since 2.25.
clockid_t clock_of(const pthread_cond_t* condition) {
  constexpr unsigned monotonic = 2;
  return (condition->__data.__wrefs & monotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// A moment from now by the machine's own clock.
timespec in_a_moment(clockid_t clock) {
  timespec until{};
  syscall(SYS_clock_gettime, clock, &until);
  until.tv_nsec += 100'000;
  if (until.tv_nsec >= second) {
    until.tv_nsec -= second;
    ++until.tv_sec;
  }
  return until;
}

// Waits as long as other threads work, because one of them may end the wait: `wait_until(instant of
// the machine)` waits for that. Its result; ETIMEDOUT: all others wait.
template <class Wait>
int wait_for_others(clockid_t clock, Wait wait_until, bool& have_worked) {
  constexpr int tries = 20'000;
  OtherThreads before = look_at_other_threads();
  for (int i = 0; i < tries && before.exist; ++i) {
    const int result = wait_until(in_a_moment(clock));
    if (result != ETIMEDOUT) return result;
    const OtherThreads now = look_at_other_threads();
    if (!now.work && now.waits == before.waits) break;
    have_worked = true;
    before = now;
  }
  return ETIMEDOUT;
}

// What is left of this limit in the search's time, or in that of a runtime.
int64_t left_until(clockid_t clock, const timespec& limit) {
  timespec now{};
  clock_gettime(clock, &now);
  return in_nanoseconds(limit) - in_nanoseconds(now);
}

// Whether the limit of a wait is an instant of the search: it is none for an adaptor's runtime,
// which has its own clocks, nor for that of Java.
bool is_time_simulated() {
  if (getenv("INTERLOCK_CLOCKS") != nullptr || getenv("INTERLOCK_CONTROL") == nullptr) return false;
  if (is_thread_of_java()) return false;
  refuse_other_thread("waits with a limit");
  return is_client_thread();
}

// The threads of Python pass the interpreter's own lock to each other by waits for a condition.
// What a program waits for are semaphores.
bool is_python() {
  return strncmp(program_invocation_short_name, "python", strlen("python")) == 0;
}

// This limit by the machine's own clock. A runtime that waits for its own ends has read another
// one.
timespec by_machine(clockid_t clock, const timespec& limit) {
  if (!is_client_thread()) return limit;
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  const int64_t until = in_nanoseconds(now) + left_until(clock, limit);
  return {until / second, until % second};
}

int wait_for_condition(pthread_cond_t* condition,
                       pthread_mutex_t* mutex,
                       clockid_t clock,
                       const timespec& limit) {
  // The first version that a plain dlsym() finds has another layout.
  static auto* const as_it_is = newest<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait");
  static auto* const by_clock = real<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  const auto wait_until = [&](const timespec& until) {
    if (by_clock != nullptr) return by_clock(condition, mutex, clock, &until);
    return as_it_is(condition, mutex, &until);
  };
  if (is_python()) return wait_until(limit);
  if (!is_time_simulated()) return wait_until(by_machine(clock, limit));
  bool have_worked = false;
  const int result = wait_for_others(clock, wait_until, have_worked);
  if (result != ETIMEDOUT) return result;
  // Another thread may have called pthread_cond_signal while this one looked at it. A wait may end
  // without a reason, and its caller then looks itself.
  if (have_worked) return 0;
  pthread_mutex_unlock(mutex);
  const int64_t left = left_until(clock, limit);
  if (left > 0) sleep_for(left);
  pthread_mutex_lock(mutex);
  return ETIMEDOUT;
}

int wait_for_semaphore(sem_t* semaphore, clockid_t clock, const timespec& limit) {
  static auto* const as_it_is = real<decltype(sem_timedwait)>("sem_timedwait");
  static auto* const by_clock = real<decltype(sem_clockwait)>("sem_clockwait");
  const auto wait_until = [&](const timespec& until) {
    const int result =
        clock == CLOCK_REALTIME ? as_it_is(semaphore, &until) : by_clock(semaphore, clock, &until);
    return result == 0 ? 0 : errno;
  };
  int result = 0;
  if (!is_time_simulated()) {
    result = wait_until(by_machine(clock, limit));
  } else if (sem_trywait(semaphore) != 0) {
    bool have_worked = false;
    result = wait_for_others(clock, wait_until, have_worked);
    const int64_t left = left_until(clock, limit);
    if (result == ETIMEDOUT && left > 0) sleep_for(left);
  }
  if (result == 0) return 0;
  errno = result;
  return -1;
}

}  // namespace
}  // namespace interlock_preload

using namespace interlock_preload;

#pragma GCC visibility push(default)
extern "C" {

int pthread_cond_timedwait(pthread_cond_t* condition,
                           pthread_mutex_t* mutex,
                           const timespec* limit) {
  return wait_for_condition(condition, mutex, clock_of(condition), *limit);
}

int pthread_cond_clockwait(pthread_cond_t* condition,
                           pthread_mutex_t* mutex,
                           clockid_t clock,
                           const timespec* limit) {
  return wait_for_condition(condition, mutex, clock, *limit);
}

int sem_timedwait(sem_t* semaphore, const timespec* limit) {
  return wait_for_semaphore(semaphore, CLOCK_REALTIME, *limit);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* limit) {
  return wait_for_semaphore(semaphore, clock, *limit);
}

}  // extern "C"
#pragma GCC visibility pop
