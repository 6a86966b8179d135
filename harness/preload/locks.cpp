// Locks that are taken with a limit: mutexes, and read-write locks.
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "limits.hpp"

namespace interlock_preload {
namespace {

int lock_mutex(pthread_mutex_t* mutex, clockid_t clock, const timespec& limit) {
  static auto* const by_clock = real<decltype(pthread_mutex_clocklock)>("pthread_mutex_clocklock");
  return take_until(
      clock, limit, [&] { return pthread_mutex_trylock(mutex); },
      [&](const timespec& until) { return by_clock(mutex, clock, &until); });
}

int lock_to_read(pthread_rwlock_t* lock, clockid_t clock, const timespec& limit) {
  static auto* const by_clock =
      real<decltype(pthread_rwlock_clockrdlock)>("pthread_rwlock_clockrdlock");
  return take_until(
      clock, limit, [&] { return pthread_rwlock_tryrdlock(lock); },
      [&](const timespec& until) { return by_clock(lock, clock, &until); });
}

int lock_to_write(pthread_rwlock_t* lock, clockid_t clock, const timespec& limit) {
  static auto* const by_clock =
      real<decltype(pthread_rwlock_clockwrlock)>("pthread_rwlock_clockwrlock");
  return take_until(
      clock, limit, [&] { return pthread_rwlock_trywrlock(lock); },
      [&](const timespec& until) { return by_clock(lock, clock, &until); });
}

}  // namespace
}  // namespace interlock_preload

using namespace interlock_preload;

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* limit) {
  return lock_mutex(mutex, CLOCK_REALTIME, *limit);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* limit) {
  return lock_mutex(mutex, clock, *limit);
}

int mtx_timedlock(mtx_t* mutex, const timespec* limit) {
  const int result = lock_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), CLOCK_REALTIME, *limit);
  return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* limit) {
  return lock_to_read(lock, CLOCK_REALTIME, *limit);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* limit) {
  return lock_to_read(lock, clock, *limit);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* limit) {
  return lock_to_write(lock, CLOCK_REALTIME, *limit);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* limit) {
  return lock_to_write(lock, clock, *limit);
}

}  // extern "C"
#pragma GCC visibility pop
