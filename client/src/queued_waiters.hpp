// The callers of one client that queue at the store, each with a place of its own in a lock's
// queue.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "interlock/cancellation.hpp"
#include "interlock/store/reactor.hpp"

namespace interlock {

// A release may have offered the lock to a waiter of another process that is frozen and will not
// answer. When that offer has ended, the first caller of this client that queues for the lock asks
// the store again. Otherwise it would know only when the holder's lease could have ended. One mutex
// guards everything; no caller is roused under it.
class QueuedWaiters {
 public:
  // `offer_lasts`: see QueuePolicy::claim_window.
  QueuedWaiters(Reactor& loop, Duration offer_lasts) : loop_(loop), offer_lasts_(offer_lasts) {}
  QueuedWaiters(const QueuedWaiters&) = delete;
  QueuedWaiters& operator=(const QueuedWaiters&) = delete;

  // --- any thread --------------------------------------------------------------------------------
  // A caller queues while this lives. Its cancellation belongs to the loop's thread.
  class QueuedCaller {
   public:
    QueuedCaller(QueuedWaiters& waiters, LockName name, std::shared_ptr<Cancellation> waiting);
    ~QueuedCaller();
    QueuedCaller(const QueuedCaller&) = delete;
    QueuedCaller& operator=(const QueuedCaller&) = delete;

   private:
    friend class QueuedWaiters;
    QueuedWaiters& waiters_;
    const LockName name_;
    const std::shared_ptr<Cancellation> waiting_;
    // The neighbours among the callers that queue for the lock; null: none.
    QueuedCaller* before_ = nullptr;
    QueuedCaller* after_ = nullptr;
  };
  bool any(const LockName& name) const;
  // Whether any caller queues for it, or it was found busy within busy_for. Then a try would most
  // likely be a command wasted, because a caller that queues up asks for the lock as well.
  bool is_busy(const LockName& name, TimePoint now) const;
  static constexpr Duration busy_for = std::chrono::seconds{1};
  void found_busy(const LockName& name, TimePoint now);
  // A release has reached the store at `now`.
  void recheck_after_offer(const LockName& name, TimePoint now);

  // --- the loop's thread -------------------------------------------------------------------------
  // First, and last.
  void begin();
  void end();

 private:
  void arm(TimePoint due);
  void recheck();

  Reactor& loop_;
  const Duration offer_lasts_;
  std::unique_ptr<Reactor::Timer> timer_;  // on the loop's thread

  mutable std::mutex mutex_;
  // Below: under the mutex. Thousands of names may queue at once, each for a moment.
  class Ends {
   public:
    QueuedCaller* first = nullptr;
    QueuedCaller* last = nullptr;
  };
  std::unordered_map<LockName, Ends> queued_;
  std::map<LockName, TimePoint> recheck_at_;
  std::map<LockName, TimePoint> busy_until_;
};

}  // namespace interlock
