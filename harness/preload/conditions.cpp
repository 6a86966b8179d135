// Waits for another thread with a limit: condition variables and semaphores.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "client.hpp"
#include "limits.hpp"

namespace interlock_preload {
namespace {

// The clock that pthread_cond_init was told, as glibc notes it since 2.25.
clockid_t clock_of(const pthread_cond_t* condition) {
  constexpr unsigned monotonic = 2;
  return (condition->__data.__wrefs & monotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait_for_condition(pthread_cond_t* condition,
                       pthread_mutex_t* mutex,
                       clockid_t clock,
                       const timespec& limit) {
  static auto* const by_clock = real<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  const auto wait_until = [&](const timespec& until) {
    return by_clock(condition, mutex, clock, &until);
  };
  // The threads of Python pass the interpreter's own lock to each other by waits for a condition.
  // What a program waits for are semaphores.
  if (is_program("python")) return wait_until(limit);
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
  static auto* const by_clock = real<decltype(sem_clockwait)>("sem_clockwait");
  const auto try_now = [&] { return sem_trywait(semaphore) == 0 ? 0 : EBUSY; };
  const auto wait_until = [&](const timespec& until) {
    return by_clock(semaphore, clock, &until) == 0 ? 0 : errno;
  };
  const int result = take_until(clock, limit, try_now, wait_until);
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

// In glibc the types of C11 are those of pthread.
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* limit) {
  return in_c11(wait_for_condition(reinterpret_cast<pthread_cond_t*>(condition),
                                   reinterpret_cast<pthread_mutex_t*>(mutex), CLOCK_REALTIME,
                                   *limit));
}

int sem_timedwait(sem_t* semaphore, const timespec* limit) {
  return wait_for_semaphore(semaphore, CLOCK_REALTIME, *limit);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* limit) {
  return wait_for_semaphore(semaphore, clock, *limit);
}

}  // extern "C"
#pragma GCC visibility pop
