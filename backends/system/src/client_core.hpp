// What a Client and its guards share: connections, the loop, and the leases that are kept alive.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <future>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/renewal.hpp"
#include "interlock/system_token_source.hpp"
#include "shared_lines.hpp"

namespace interlock {

// The clock of a calling thread: sleeping blocks it.
class BlockingTime final : public TimeSource {
 public:
  TimePoint now() override;
  bool park(PendingSleep& sleep) override;
  void wake(PendingSleep&) override {}
};

// A store that can be taken away while coroutines still hold on to it.
class ClosableStore final : public KeyValueStore {
 public:
  explicit ClosableStore(std::unique_ptr<KeyValueStore> store) : store_(std::move(store)) {}
  Submitted submit(PendingOperation& pending) override;
  // Ends everything that is pending; from here on every operation is `unavailable`.
  void close();

 private:
  std::unique_ptr<KeyValueStore> store_;
  bool closed_ = false;
};

// One lease that somebody holds: renewed and watched until it is released or lost.
class Holding final : public LeaseListener, public std::enable_shared_from_this<Holding> {
 public:
  // `line_waits_until`: for how long those who line up in this process count on being handed it.
  Holding(Client::Core& core,
          Lease lease,
          bool renew,
          std::optional<TimePoint> line_waits_until = std::nullopt);

  // Any thread.
  const Lease& lease() const noexcept { return lease_; }  // as granted
  TimePoint certain_until() const noexcept;
  LeaseState state() const noexcept;
  std::optional<LossReason> loss() const noexcept;
  std::stop_token lost_token() const noexcept { return lost_.get_token(); }
  Client::Core& core() const noexcept { return core_; }
  bool in_line() const noexcept { return line_waits_until_.has_value(); }
  // When the loop has to see to it, at first.
  TimePoint due() const noexcept { return line_waits_until_.value_or(lease_.renewal_due()); }

  // The loop's thread. Until stop(), the lease is kept alive and its loss is told.
  void keep();
  void stop();

  void on_renewed(const Lease& lease, Duration took) override;
  void on_at_risk(const Lease& lease) override;
  void on_lost(const Lease& lease, LossReason why) override;
  void on_renewal_error(const Lease& lease, const Error& error) override;

  // Guarded by the core's mutex. A lease that is released before its renewal falls due never costs
  // the loop anything.
  enum class Stage : std::uint8_t { listed, kept, ended };
  Stage stage = Stage::listed;
  std::multimap<TimePoint, std::shared_ptr<Holding>>::iterator place;

 private:
  Event event(EventKind kind) const;

  static constexpr int no_loss = -1;

  Client::Core& core_;
  const Lease lease_;
  const bool renew_;
  const std::optional<TimePoint> line_waits_until_;
  std::atomic<Duration::rep> certain_until_;
  std::atomic<Duration::rep> at_risk_from_;
  std::atomic<int> loss_ = no_loss;
  std::stop_source lost_;
  std::optional<LeaseKeeper> keeper_;
};

class Client::Core {
 public:
  Core(std::shared_ptr<Backend> backend, ClientOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  AcquireResult acquire(const LockName& name, const LockOptions& options);
  Task<AcquireResult> acquire_async(LockName name, LockOptions options);

  Result<ReleaseOutcome> release(const std::shared_ptr<Holding>& holding);
  Task<Result<ReleaseOutcome>> release_async(std::shared_ptr<Holding> holding);
  // For destructors: release as this thread may.
  void release_quietly(const std::shared_ptr<Holding>& holding) noexcept;
  void guard_made() noexcept { ++guards_; }
  void guard_gone() noexcept { --guards_; }

  // A task on the loop. The user's are waited for before the connections close; our own then end
  // because they close.
  void spawn(Task<void> task);
  // Throws what the task threw. Not on the loop's thread.
  void wait_for_end(Task<void> task);
  void spawn_own(Task<void> task);

  EventLoop& loop() noexcept { return loop_; }
  LockProtocol& protocol_of(const Lease& lease) noexcept {
    if (lease.owner().hands_over()) return queue_protocol_;
    return protocol_;
  }
  void tell(const Event& event) const {
    if (options_.events != nullptr) options_.events->on_event(event);
  }

 private:
  // A blocking connection and what runs over it, for one thread at a time.
  class Session;
  class BorrowedSession;
  class Waiter;
  // A caller of this client that queues at the store, while it does.
  class Queued {
   public:
    Queued(Core& core, LockName name, std::shared_ptr<Cancellation> waiting);
    ~Queued();
    Queued(const Queued&) = delete;
    Queued& operator=(const Queued&) = delete;

   private:
    Core& core_;
    const LockName name_;
    std::list<std::shared_ptr<Cancellation>>::iterator place_;
  };
  class ThreadInLine;
  class TaskInLine;
  enum class Ending : std::uint8_t { never_kept, kept, already_ended };

  LockClient& client_of(const Lease& lease) noexcept {
    return lease.owner().hands_over() ? queue_client_ : lock_client_;
  }
  bool somebody_queues_for(const LockName& name);
  // A release has reached the store, which may have offered the lock to somebody who is frozen, and
  // so will answer no more. When that offer has ended, the first of ours who queues looks again:
  // all that it knows otherwise is when the lease could have ended.
  void look_again_after_offer(const LockName& name);
  void look_again();
  void arm_look_again(TimePoint due);
  void released_at_store(const Holding& holding);
  // Whether callers with these options line up for what the store grants to one of them.
  bool lines_up(const LockOptions& options) const;
  enum class First : std::uint8_t { tries, queues };
  Result<AcquireOutcome> ask(const LockName& name, const LockOptions& options, First first);
  Result<AcquireOutcome> wait_on_loop(const LockName& name,
                                      OwnerToken owner,
                                      const LockOptions& options);
  AcquireResult held_or_not(Result<AcquireOutcome> outcome,
                            const LockOptions& options,
                            std::optional<TimePoint> line_waits_until = std::nullopt);
  AcquireResult hold(Lease lease,
                     const LockOptions& options,
                     std::optional<TimePoint> line_waits_until);
  AcquireResult held_in_line(Result<AcquireOutcome> outcome,
                             const LockOptions& options,
                             LineWaiter& waiter,
                             TimePoint began);
  AcquireResult acquire_in_line(const LockName& name, const LockOptions& options);
  Task<AcquireResult> acquire_in_line_async(LockName name,
                                            LockOptions options,
                                            std::shared_ptr<Cancellation> cancellation);
  Result<ReleaseOutcome> release_here(const Lease& lease);
  // True: somebody of this client holds it now, and nothing is to be sent.
  bool hand_over(const Holding& holding);
  // Nobody will be handed it: whoever is next in its line asks the store.
  void pass_on(const Holding& holding, LocalLines::Section section);
  Task<void> wait_task(std::shared_ptr<Waiter> waiter);
  Task<void> release_task(std::shared_ptr<Holding> holding,
                          std::shared_ptr<std::promise<Result<ReleaseOutcome>>> promise);
  Result<ReleaseOutcome> release_on_loop(const std::shared_ptr<Holding>& holding);
  Ending end(Holding& holding);
  void task_begins(int& tasks);
  void task_is_over(int& tasks);
  void tell(const std::exception_ptr& thrown) const;
  void wait_for_end_of(const int& tasks);
  void take_in();
  void arm_intake(TimePoint due);

  std::shared_ptr<Backend> backend_;
  ClientOptions options_;
  SystemTokenSource tokens_;
  EventLoop loop_;

  // The loop's own connection and its users; made and ended on the loop's thread.
  std::unique_ptr<ClosableStore> store_;
  LeaseLock protocol_;
  LockClient lock_client_;
  QueueLock queue_protocol_;
  LockClient queue_client_;
  std::unique_ptr<Reactor::Timer> intake_timer_;
  std::unique_ptr<Reactor::Timer> look_again_timer_;

  SharedLines lines_;
  std::atomic<int> guards_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_sessions_;
  // Leases by when they are due; the loop looks at `intake_at_`.
  std::multimap<TimePoint, std::shared_ptr<Holding>> listed_;
  TimePoint intake_at_ = TimePoint::max();
  // The callers of this client who queue for a lock.
  std::map<LockName, std::list<std::shared_ptr<Cancellation>>> queued_;
  std::map<LockName, TimePoint> look_again_at_;
  std::condition_variable task_ended_;
  int user_tasks_ = 0;
  int own_tasks_ = 0;
};

}  // namespace interlock
