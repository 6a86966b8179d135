// The callers of one client that want the same lock: one of them asks the store, and each release
// hands the grant to the next. The rules are core's (LocalQueues); here are threads and coroutines.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "blocking_calls.hpp"
#include "interlock/client.hpp"
#include "interlock/local_queue.hpp"
#include "interlock/posix/fork.hpp"
#include "kept_lease.hpp"
#include "lock_kinds.hpp"
#include "store_access.hpp"

namespace interlock {

// For kinds of lock whose grants are shared. Any thread: one mutex guards the queues, and nobody is
// woken under it.
class Cohort {
 public:
  // All arguments outlive it.
  Cohort(StoreAccess& store,
         EventLoop& loop,
         const BlockingCalls& calls,
         const ClientOptions& options);
  Cohort(const Cohort&) = delete;
  Cohort& operator=(const Cohort&) = delete;

  // Whether callers with these options wait here while one of them asks the store, or take a grant
  // that another has kept.
  bool serves(const LockOptions& options) const;
  // Whether they may keep their grants.
  static bool may_keep(const ClientOptions& client, const LockOptions& options);

  class Grant {
   public:
    Grant(Result<AcquireOutcome> of,
          std::optional<TimePoint> until = std::nullopt)  // NOLINT(google-explicit-constructor)
        : outcome(std::move(of)), hand_over_until(until) {}
    Result<AcquireOutcome> outcome;
    // Until this instant other callers wait to be handed the grant; none: they do not.
    std::optional<TimePoint> hand_over_until;
  };
  // Blocks; not on the loop's thread.
  Grant acquire(const LockName& name,
                const LockOptions& options,
                const std::shared_ptr<KeptLease>& keeps);
  // On the loop's thread.
  Task<Grant> acquire_async(LockName name,
                            LockOptions options,
                            std::shared_ptr<Cancellation> cancellation);
  // True: another caller holds it now, and nothing is to be sent.
  bool hand_over(LockKind kind, const Lease& lease);
  // The lease will not be handed over: the next caller asks the store.
  void pass_on(LockKind kind, const Lease& lease, LocalQueues::Section section);

  // To be called before the first grant is kept.
  void begin_keeping() noexcept { has_kept_ = true; }
  // These return the lease that was kept until now; the caller must release it. See LocalQueues.
  std::shared_ptr<KeptLease> stop_handing_over(LockKind kind, const Lease& lease);
  std::shared_ptr<KeptLease> stop_keeping(const LockName& name);
  std::vector<std::shared_ptr<KeptLease>> stop_keeping_all(LocalQueues::Recall recalls);

 private:
  class ReportedWait;
  class WaitingCall;
  class WaitingTask;
  class CohortMutex final : public LocalQueueMutex {
   public:
    void lock() override { mutex_.lock(); }
    void unlock() override { mutex_.unlock(); }

   private:
    std::mutex mutex_;
  };
  // std::bad_alloc has ended the waiter's acquire.
  void give_up(LockKind kind, const LockName& name, const LocalWaiter& waiter);
  LocalQueues& queues_of(LockKind kind) { return *queues_[static_cast<std::size_t>(kind)]; }
  Grant granted(Result<AcquireOutcome> outcome,
                LockKind kind,
                const LocalWaiter& waiter,
                TimePoint began);
  const posix::ForkMark fork_;
  StoreAccess& store_;
  EventLoop& loop_;
  const BlockingCalls& calls_;
  const ClientOptions& options_;
  CohortMutex mutex_;
  std::vector<std::unique_ptr<LocalQueues>> queues_;  // of each kind
  std::atomic<bool> has_kept_ = false;                // some caller keeps its grants
};

}  // namespace interlock
