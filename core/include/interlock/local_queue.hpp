// The callers of one process that want the same lock form a local queue: the first of them, the
// leader, asks the store; the others wait here, first come, first served, and get the grant handed
// over. The idea is lock cohorting (Dice, Marathe, Shavit, PPoPP 2012); docs/adr/0006 says how it
// is done here.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/cancellation.hpp"
#include "interlock/kept_grant.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/policies.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// For how long the callers of one client hand a grant over to each other.
// A caller that wants a lock, and how it asks the store if it has to. All virtual functions except
// notify() run on the caller's own thread; so do the functions for the leader or the holder.
class LocalWaiter {
 public:
  enum class Turn : std::uint8_t {
    waits,
    leads,  // asks the store, for all who wait here
    holds,
  };

  // `keeps`: what the caller keeps its grants in; null: it does not keep them.
  LocalWaiter(Ttl ttl, Cancellation* cancellation, std::shared_ptr<KeptGrant> keeps = nullptr)
      : ttl_(ttl), cancellation_(cancellation), keeps_(std::move(keeps)) {}
  virtual ~LocalWaiter() = default;
  LocalWaiter(const LocalWaiter&) = delete;
  LocalWaiter& operator=(const LocalWaiter&) = delete;

  // Its turn has come: wakes it, without blocking. Called on the thread that gives the turn, which
  // may be any, outside of the queues' mutex.
  virtual void notify() = 0;
  // Called when it has joined a queue that is not empty, so that it may report that.
  virtual void on_wait() {}
  // As LockClient::acquire does.
  virtual Task<Result<AcquireOutcome>> acquire_at_store(LockName name, AcquireOptions options) = 0;
  virtual Task<Result<ReleaseOutcome>> release_at_store(Lease lease) = 0;
  // For the leader: its own process holds the lock, so it should queue without trying first.
  bool finds_it_held() const noexcept { return finds_it_held_; }
  // For the holder: another caller of its queue granted the lock, and not the store.
  bool was_handed_over() const noexcept { return lease_.has_value(); }
  // For the holder: when its queue stops waiting for it, and LocalQueues::pass_on() is due.
  TimePoint hand_over_until() const noexcept { return hand_over_until_; }
  bool keeps_grants() const noexcept { return keeps_ != nullptr; }
  virtual bool cancelled() const { return cancellation_ != nullptr && cancellation_->requested(); }

 protected:
  // On the waiter's own thread.
  void wake(TimeSource& time) {
    if (rest_ != nullptr) time.wake(*rest_);
  }

 private:
  friend class LocalQueues;
  friend class LocalQueueClient;
  const Ttl ttl_;
  Cancellation* const cancellation_;
  const std::shared_ptr<KeptGrant> keeps_;
  PendingSleep* rest_ = nullptr;
  // Guarded by the mutex of the queues.
  Turn turn_ = Turn::waits;
  bool finds_it_held_ = false;
  std::optional<Lease> lease_;
  TimePoint hand_over_until_;
  // The kept grant that join() has taken for this caller.
  std::shared_ptr<KeptGrant> taken_;
  std::optional<Lease> gives_back_;  // the leader: releases this lease before it asks the store
  std::uint64_t recalls_before_ =
      0;  // how many there were when the leader of its grant began to ask
};

// The mutex of queues that several threads share. Core has no threads, so a caller with threads
// passes one in.
class LocalQueueMutex {
 public:
  virtual ~LocalQueueMutex() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

// The queues of all locks of one process, as plain data: no clock, no store. With a mutex any
// thread may call any function, which locks it once; without one, a single thread.
class LocalQueues {
 public:
  // The waiter to notify; null: none.
  using Next = std::shared_ptr<LocalWaiter>;

  // A policy out of its ranges ends the process with a message; see HandOverPolicy::wrong(). The
  // mutex must outlive this object. Null: a single thread calls.
  explicit LocalQueues(HandOverPolicy policy, LocalQueueMutex* mutex = nullptr);

  // Puts the waiter at the end of the queue. It leads if there is no queue, or only a holder that
  // can hand nothing over to it. It holds the lock at once if another caller has kept its grant; if
  // it cannot use that grant, it leads.
  void join(const LockName& name, std::shared_ptr<LocalWaiter> waiter, TimePoint now);
  LocalWaiter::Turn turn_of(const LocalWaiter& waiter) const;
  // Takes the waiter out of the queue. False: its turn has come meanwhile; use it or pass it on.
  bool leave(const LockName& name, const LocalWaiter& waiter);

  // The store has granted the lock, just now, to the leader. Returns, as the functions below do,
  // the waiter that leads from now on: notify it. Null: none, or not yet.
  [[nodiscard]] Next granted(const Lease& lease, LocalWaiter& leader, TimePoint now);
  // The leader did not get the lock.
  [[nodiscard]] Next got_nothing(const LockName& name);
  // An exception has ended the waiter's acquire: it leaves the queue, or leads no more, or passes
  // on what it was handed. Does nothing if it has joined no queue.
  [[nodiscard]] Next give_up(const LockName& name, const LocalWaiter& waiter);

  // A section is over. `holds` has its lease now: notify it. Null: release the lease at the store,
  // and then call pass_on().
  class HandedOver {
   public:
    Next holds;
    Next leads;  // set if the section of `holds` is the grant's last: queues up meanwhile
  };
  [[nodiscard]] HandedOver hand_over(const Lease& over, TimePoint now);
  // This section will hand nothing over: the queue goes on without it, if it has not done so
  // already.
  enum class Section : bool { over, goes_on };
  [[nodiscard]] Next pass_on(const Lease& held, Section section);

  // --- grants that are kept between sections; docs/adr/0009 --------------------------------------
  // The grant of `held` may no longer be handed over: due when hand_over_until() of its holder has
  // passed. If it is kept, the caller has it now, and must release it as a section that is over.
  // Else its section goes on, and the queue without it.
  class TimeIsOver {
   public:
    std::shared_ptr<KeptGrant> kept;
    Next leads;
  };
  [[nodiscard]] TimeIsOver stop_handing_over(const Lease& held);
  // Nothing of this lock is kept from now on, until the next grant. Returns the grant that was kept
  // until now: the caller must release it, as above. Null: none; a section may go on.
  [[nodiscard]] std::shared_ptr<KeptGrant> stop_keeping(const LockName& name);
  // The same for all locks. It also holds for each grant that the store is being asked for now,
  // because its answer may be on its way. `for_good`: no later grant is kept either.
  enum class Recall : bool { now, for_good };
  [[nodiscard]] std::vector<std::shared_ptr<KeptGrant>> stop_keeping_all(Recall recalls);
  // Whether it was called since the leader of this holder's grant, or this leader, began to ask.
  bool was_recalled(const LocalWaiter& waiter) const;

  // How many sections may still be handed over by the one that is under way; none if the queue has
  // gone on without it.
  std::int64_t sections_left(const LockName& name) const;
  // The lease that the waiter was handed was too old to begin a section with, and was released: the
  // waiter is the first in the queue again.
  void requeue_first(const Lease& released, const std::shared_ptr<LocalWaiter>& waiter);

 private:
  class Locked;
  // The callers that wait for one lock, while one leads or holds what may be handed over.
  class LocalQueue {
   public:
    std::list<std::shared_ptr<LocalWaiter>> waiting;  // mostly empty: a deque has memory even then
    std::optional<Lease> held;                        // none: somebody leads
    std::int64_t left = 0;                            // sections that may follow
    TimePoint hand_over_until;
    // What the holder may keep its grant in, while no other caller waits. The sections that it has
    // begun by itself are counted there, and not in `held` and `left`.
    std::shared_ptr<KeptGrant> keeps;
    std::uint64_t recalls_before = 0;  // how many there were when its leader began to ask
  };
  // It is only looked up by name, so nothing depends on its order. An ordered map took a tenth of
  // the client's time with thousands of locks in flight.
  using Queues = std::unordered_map<LockName, LocalQueue>;
  std::pair<Queues::iterator, bool> find_or_make(const LockName& name);
  void lead(LocalWaiter& waiter);
  static bool has_grant(const LocalQueue& queue, const Lease& lease);
  static bool holds(const LocalQueue& queue, const Lease& lease);
  static bool another_may_follow(const LocalQueue& queue);
  Next begin(Queues::iterator at, const Lease& lease, LocalWaiter& holder);
  Next move_on(Queues::iterator at, Section section);
  static std::shared_ptr<KeptGrant> close_kept(LocalQueue& queue);
  void take_kept(Queues::iterator at, LocalWaiter& waiter, TimePoint now);

  const HandOverPolicy policy_;
  LocalQueueMutex* const mutex_;
  Queues queues_;
  Queues::node_type spare_;  // of the queue that ended last: serves the next one
  std::uint64_t recalls_ = 0;
  bool keeps_no_more_ = false;
};

// Acquires by a local queue: the part that needs no thread.
class LocalQueueClient {
 public:
  LocalQueueClient(LocalQueues& queues, TimeSource& time) : queues_(queues), time_(time) {}

  // As LockClient::acquire. If the wait ends in the queue, the caller tries once at the store,
  // which knows who holds the lock.
  Task<Result<AcquireOutcome>> acquire(std::shared_ptr<LocalWaiter> waiter,
                                       LockName name,
                                       AcquireOptions options);
  // Hands over, or releases by `waiter` and passes on.
  Task<Result<ReleaseOutcome>> release(std::shared_ptr<LocalWaiter> waiter, Lease lease);
  // Call it when a section goes on after its waiter's hand_over_until(), or is over and its grant
  // is kept. In the second case it returns the grant, and the caller must release that.
  [[nodiscard]] std::shared_ptr<KeptGrant> stop_handing_over(const Lease& held) {
    LocalQueues::TimeIsOver over = queues_.stop_handing_over(held);
    notify(over.leads);
    return std::move(over.kept);
  }

 private:
  Task<Result<AcquireOutcome>> wait_for_turn(std::shared_ptr<LocalWaiter> waiter,
                                             LockName name,
                                             AcquireOptions options);
  Task<void> rest(std::shared_ptr<LocalWaiter> waiter, TimePoint until);
  Task<Result<AcquireOutcome>> lead(std::shared_ptr<LocalWaiter> waiter,
                                    LockName name,
                                    AcquireOptions options);
  static void notify(const LocalQueues::Next& next);

  LocalQueues& queues_;
  TimeSource& time_;
};

}  // namespace interlock

#pragma GCC visibility pop
