// A lock in the shape of std::timed_mutex, for std::unique_lock and std::scoped_lock.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"

namespace interlock {

// Meets Lockable and TimedLockable. It excludes the threads of this process and of all others that
// use the same name. Any thread may call it. It is not recursive: a thread that locks it twice
// waits for itself. Unlike a std::mutex it can be lost: a section that matters uses the fencing
// token and lost_token() of guard(). LockOptions::wait is not used: lock() waits without end, and
// the try_ functions say how long they wait. The client must outlive it. In a child of fork() it is
// the parent's: lock() and the try_ functions throw LockFailure with `forked`, unlock() does
// nothing.
class Mutex {
 public:
  Mutex(Client& client, LockName name, LockOptions options = {});
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // These throw LockFailure with the error of the acquire if it failed.
  void lock();
  bool try_lock();
  // Any length of wait: a negative wait is one try, a wait that no clock reaches has no end.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) {
    // In floating point, because a comparison with Duration could overflow as the conversion does.
    using Float = std::chrono::duration<double, Period>;
    if (Float(wait) >= Float(Duration::max())) return acquire(std::nullopt);
    if (Float(wait) <= Float::zero()) return acquire(Duration::zero());
    return acquire(std::chrono::ceil<Duration>(wait));
  }
  template <class Clock, class Of>
  bool try_lock_until(const std::chrono::time_point<Clock, Of>& deadline) {
    const auto now = Clock::now();
    return deadline <= now ? acquire(Duration::zero()) : try_lock_for(deadline - now);
  }
  // Never throws, and does not wait for the store's answer: see ~Guard. An error goes to the
  // client's event sink.
  void unlock() noexcept;

  // For the thread that holds it, until it unlocks. If no thread holds it, the process ends with a
  // message.
  Guard& guard();

 private:
  bool acquire(std::optional<Duration> wait);

  Client& client_;
  LockName name_;
  LockOptions options_;
  // The store excludes threads from each other, but that does not order their memory accesses.
  std::mutex handing_over_;
  std::optional<Guard> guard_;
};

}  // namespace interlock
