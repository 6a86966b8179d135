// A named lock for std::shared_lock and std::unique_lock: readers together, or one writer.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/mutex.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Meets SharedTimedLockable: std::shared_lock takes it for a reader (LockOptions::shared),
// std::unique_lock and std::lock_guard take it alone. Threads of this process and of all others
// that use the name are excluded, also those that use a Mutex or acquire(). What Mutex says of
// threads, of a lock that is lost, of fork() and of the client's life holds for readers, too: a
// section that matters uses the fencing token and lost_token() of its guard. If a thread that has
// the mutex, alone or as a reader, locks it again in either way, that throws LockFailure with
// `invalid_argument`: there is no upgrade. A writer goes on as a reader by
// `client.downgrade(std::move(mutex.guard()))`: the new guard is the caller's, and unlock() then
// leaves it alone. LockOptions::shared, `permits` and `wait` are not used.
class SharedMutex {
 public:
  SharedMutex(Client& client, LockName name, MutexOptions options = {});
  // Throws LockFailure with `invalid_argument` for a name that LockName::parse refuses.
  SharedMutex(Client& client, std::string_view name, MutexOptions options = {});
  // Releases what threads have not unlocked. No thread may be inside a call of it then.
  ~SharedMutex();
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  // --- alone -------------------------------------------------------------------------------------
  // As those of Mutex.
  void lock() {
    refuse_upgrade();
    alone_.lock();
    order_memory();
  }
  bool try_lock() {
    refuse_upgrade();
    return ordered(alone_.try_lock());
  }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) {
    refuse_upgrade();
    return ordered(alone_.try_lock_for(wait));
  }
  template <class Clock, class Of>
  bool try_lock_until(const std::chrono::time_point<Clock, Of>& deadline) {
    refuse_upgrade();
    return ordered(alone_.try_lock_until(deadline));
  }
  void unlock() noexcept {
    order_memory();
    alone_.unlock();
  }
  Guard& guard() { return alone_.guard(); }

  // --- as a reader -------------------------------------------------------------------------------
  // These throw LockFailure with the error of the acquire if it failed.
  void lock_shared() { acquire_shared(std::nullopt); }
  bool try_lock_shared() { return acquire_shared(Duration::zero()); }
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait) {
    return acquire_shared(wait_of(wait));
  }
  template <class Clock, class Of>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Of>& deadline) {
    const auto now = Clock::now();
    return deadline <= now ? try_lock_shared() : try_lock_shared_for(deadline - now);
  }
  // Ends the section of this thread, and no other: does nothing if this thread has none. As
  // Mutex::unlock().
  void unlock_shared() noexcept;
  // The guard of this thread's own section as a reader: valid until this thread unlocks. If this
  // thread is no reader, or in a child of fork(), the process ends with a message.
  Guard& shared_guard();

 private:
  // Any length of wait, as Mutex takes it. None: no end.
  template <class Rep, class Period>
  static std::optional<Duration> wait_of(const std::chrono::duration<Rep, Period>& wait) {
    using Float = std::chrono::duration<double, Period>;
    if (Float(wait) >= Float(Duration::max())) return std::nullopt;
    if (Float(wait) <= Float::zero()) return Duration::zero();
    return std::chrono::ceil<Duration>(wait);
  }
  bool acquire_shared(std::optional<Duration> wait);
  // Throws if this thread reads.
  void refuse_upgrade();
  // The store excludes threads from each other, but that does not order their memory accesses.
  void order_memory() noexcept;
  bool ordered(bool locked) noexcept {
    if (locked) order_memory();
    return locked;
  }

  Client& client_;
  const LockName name_;
  LockOptions options_;
  Mutex alone_;
  std::mutex mutex_;  // guards readers_; each section begins and ends with it
  std::map<std::thread::id, Guard> readers_;
};

}  // namespace interlock

#pragma GCC visibility pop
