// The callers of one client that queue at the store, each with a place of its own in a lock's
// queue.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "interlock/cancellation.hpp"
#include "interlock/store/reactor.hpp"

namespace interlock {

// A release may have offered the lock to a waiter of another process that is frozen, and will not
// answer. When that offer has ended, the first of ours who queues for the lock asks the store
// again: all that it knows otherwise is when the holder's lease could have ended. One mutex guards
// all of it; nobody is roused under it.
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
    QueuedWaiters& waiters_;
    const LockName name_;
    std::list<std::shared_ptr<Cancellation>>::iterator place_;
  };
  bool any(const LockName& name) const;
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
  // Below: under the mutex.
  std::map<LockName, std::list<std::shared_ptr<Cancellation>>> queued_;
  std::map<LockName, TimePoint> recheck_at_;
};

}  // namespace interlock
