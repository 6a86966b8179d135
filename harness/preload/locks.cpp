// Locks that are taken with a limit: mutexes, and read-write locks.
#include <pthread.h>

#include "limits.hpp"

namespace interlock_preload {
namespace {

template <class Lock>
using TakeByClock = int(Lock*, clockid_t, const timespec*);

template <class Lock>
int take(Lock* lock,
         int (*try_now)(Lock*),
         TakeByClock<Lock>* by_clock,
         clockid_t clock,
         const timespec& limit) {
  return take_until(
      clock, limit, [&] { return try_now(lock); },
      [&](const timespec& until) { return by_clock(lock, clock, &until); });
}

int lock_mutex(pthread_mutex_t* mutex, clockid_t clock, const timespec& limit) {
  static auto* const by_clock = real<TakeByClock<pthread_mutex_t>>("pthread_mutex_clocklock");
  return take(mutex, pthread_mutex_trylock, by_clock, clock, limit);
}

int lock_to_read(pthread_rwlock_t* lock, clockid_t clock, const timespec& limit) {
  static auto* const by_clock = real<TakeByClock<pthread_rwlock_t>>("pthread_rwlock_clockrdlock");
  return take(lock, pthread_rwlock_tryrdlock, by_clock, clock, limit);
}

int lock_to_write(pthread_rwlock_t* lock, clockid_t clock, const timespec& limit) {
  static auto* const by_clock = real<TakeByClock<pthread_rwlock_t>>("pthread_rwlock_clockwrlock");
  return take(lock, pthread_rwlock_trywrlock, by_clock, clock, limit);
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
  return in_c11(lock_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), CLOCK_REALTIME, *limit));
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
