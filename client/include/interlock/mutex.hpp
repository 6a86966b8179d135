// A lock in the shape of std::timed_mutex, for std::unique_lock and std::scoped_lock.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// How a Mutex acquires and holds its lock.
class MutexOptions : public LockOptions {
 public:
  MutexOptions() = default;
  MutexOptions(LockOptions options)  // NOLINT(google-explicit-constructor)
      : LockOptions(std::move(options)) {}

  // True: unlock() keeps the grant for a moment, and a lock() that follows soon takes the grant
  // again without asking the store. Such a section costs some ten nanoseconds instead of two
  // commands, and has a fencing token of its own. The bounds are those of ClientOptions::hand_over,
  // counted from when the store granted the lock: 48 sections, 50 ms, a quarter of the lease. A
  // grant is not kept if others queued at the store when it came. When the grant's time is over,
  // the client gives it back by itself. The client also gives back each kept grant whenever it has
  // begun to listen for other processes: after the constructor, and after its connection broke.
  //
  // Other threads of this client take a kept grant at once, in every way of acquiring. Another
  // process finds the lock held while its grant is kept. If that process queues
  // (LockOptions::fair), its request makes this client give the grant back at once, so that it
  // waits only for some messages longer. All others (unfair locks, foreign clients such as
  // redis-py's, older clients) wait at least until the grant's time is over, and a loop that locks
  // again at once may be faster than they. If they try once, the answer is Busy, although no
  // section goes on. So use this for locks that one process takes again and again, and others
  // seldom. If the process dies, a kept grant ends with its ttl, like one that is held. The event
  // `released` of a section is reported when the next section begins, or when the grant is given
  // back. Has no effect without `fair` and `renew`, or with `at_least`. docs/adr/0009.
  bool keep = false;
};

// A lock that a thread locks and unlocks: Lockable and TimedLockable. It excludes the threads of
// this process and of all others that use the same name. Any thread may call it. As a std::mutex it
// must be unlocked by the thread that locked it, and is not recursive: a thread that locks it twice
// gets LockFailure with `invalid_argument`, and holds it still. Unlike a std::mutex it can be lost,
// and another thread may then lock it: a section that matters uses the fencing token and
// lost_token() of guard(). Each thread keeps its own guard until it unlocks, or locks it again
// because the lease was lost. A thread must unlock before it ends: else the lock stays held until
// ~Mutex, or is taken for that of a later thread with the same id. LockOptions::wait is not used:
// lock() waits without end, and the try_ functions say how long they wait. Neither are `shared` and
// `permits`: see SharedMutex. The client must outlive it. In a child of fork() it is the parent's:
// lock() and the try_ functions throw LockFailure with `forked`, unlock() does nothing.
class Mutex {
 public:
  Mutex(Client& client, LockName name, MutexOptions options = {});
  // Throws LockFailure with `invalid_argument` for a name that LockName::parse refuses.
  Mutex(Client& client, std::string_view name, MutexOptions options = {});
  // Gives back what is kept, and what threads have not unlocked; waits as unlock() does. No thread
  // may be inside a call of it then.
  ~Mutex();
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
  // Ends the section of this thread, and no other: does nothing if this thread has none. Never
  // throws (without memory the process may end), and does not wait for the store's answer: see
  // ~Guard. An error goes to the client's event sink.
  void unlock() noexcept;

  // The guard of this thread's own section, also if its lease was lost: valid until this thread
  // unlocks. If this thread has not locked the mutex, the process ends with a message.
  Guard& guard();

 private:
  friend class SharedMutex;
  class ThreadSection;

  bool acquire(std::optional<Duration> wait);
  bool acquire_at_client(std::optional<Duration> wait);
  void refuse_second_lock();
  bool begin_kept_section();
  ThreadSection* own_section() noexcept;
  ThreadSection& free_section();
  void begin(ThreadSection& section) noexcept;
  void end(ThreadSection& section) noexcept;

  Client& client_;
  LockName name_;
  MutexOptions options_;
  const bool keeps_;
  // Guards which sections are free. The store excludes threads from each other, but that does not
  // order their memory accesses: this does.
  std::mutex handing_over_;
  // A list, which only grows at its front: a section serves one thread after the other, and lives
  // as long as the mutex, so that a thread may look at one that is another's.
  std::atomic<ThreadSection*> sections_ = nullptr;
  // The section of the last grant: what may be kept is here.
  std::atomic<ThreadSection*> latest_ = nullptr;
};

}  // namespace interlock

#pragma GCC visibility pop
