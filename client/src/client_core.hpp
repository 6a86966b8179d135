// What a Client and its guards share: connections, the loop, and the leases that are kept alive.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "closable_store.hpp"
#include "holding.hpp"
#include "interlock/client.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/system_token_source.hpp"
#include "sessions.hpp"

namespace interlock {

class Client::Core : public std::enable_shared_from_this<Core> {
 public:
  // Everything that may fail has been made before.
  Core(std::shared_ptr<Backend> backend,
       const ClientOptions& options,
       std::unique_ptr<EventLoop> loop,
       std::unique_ptr<KeyValueStore> store);
  static Result<std::shared_ptr<Core>> open(std::shared_ptr<Backend> backend,
                                            ClientOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Called once, before the destructor: see Client::~Client. Guards that are left are lost then.
  void close();
  bool in_child() const noexcept { return fork_.in_child(); }

  AcquireResult acquire(const LockName& name, const LockOptions& options);
  Task<AcquireResult> acquire_async(LockName name, LockOptions options);

  Result<ReleaseOutcome> release(const std::shared_ptr<Holding>& holding);
  // It was released, by whichever call, or the client is being closed.
  bool has_ended(const Holding& holding);
  Task<Result<ReleaseOutcome>> release_async(std::shared_ptr<Holding> holding);
  // For destructors: release as this thread may.
  void release_quietly(const std::shared_ptr<Holding>& holding) noexcept;

  // A task on the loop. The user's are waited for before the connections close; our own then end
  // because they close.
  void spawn(Task<void> task);
  // Throws what the task threw.
  void wait_for_end(Task<void> task);
  void spawn_own(Task<void> task);

  EventLoop& loop() noexcept { return *loop_; }
  Sessions& sessions() noexcept { return sessions_; }
  LockProtocol& protocol_of(const Lease& lease) noexcept {
    if (lease.owner().hands_over()) return queue_protocol_;
    return protocol_;
  }
  void tell(const Event& event) const {
    if (options_.events != nullptr) options_.events->on_event(event);
  }

 private:
  // A blocking call of some thread's, for which close() waits.
  class Call {
   public:
    explicit Call(Core& core) noexcept;
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // False: the client is being closed.
    explicit operator bool() const noexcept { return !core_.is_closing_; }

   private:
    Core& core_;
  };
  class Waiter;
  class MutexOfLines final : public LineMutex {
   public:
    void lock() override { mutex_.lock(); }
    void unlock() override { mutex_.unlock(); }

   private:
    std::mutex mutex_;
  };
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

  // --- acquire -----------------------------------------------------------------------------------
  // Why this thread may not make a blocking call; none: it may.
  std::optional<Error> refuses_to_block(const char* what, const LockName& name) const;
  std::optional<Error> refuses_task(const char* what, const LockName& name) const;
  enum class First : std::uint8_t { tries, queues };
  Result<AcquireOutcome> ask(const LockName& name, const LockOptions& options, First first);
  Result<AcquireOutcome> wait_on_loop(const LockName& name,
                                      OwnerToken owner,
                                      const LockOptions& options);
  Task<void> wait_task(std::shared_ptr<Waiter> waiter);
  OwnerToken fresh_owner(const LockOptions& options);
  AcquireResult held_or_not(Result<AcquireOutcome> outcome,
                            const LockOptions& options,
                            std::optional<TimePoint> line_waits_until = std::nullopt);
  AcquireResult hold(Lease lease,
                     const LockOptions& options,
                     std::optional<TimePoint> line_waits_until);

  // --- lines and queues --------------------------------------------------------------------------
  // Whether callers with these options line up for what the store grants to one of them.
  bool lines_up(const LockOptions& options) const;
  AcquireResult acquire_in_line(const LockName& name, const LockOptions& options);
  Task<AcquireResult> acquire_in_line_async(LockName name,
                                            LockOptions options,
                                            std::shared_ptr<Cancellation> cancellation);
  AcquireResult held_in_line(Result<AcquireOutcome> outcome,
                             const LockOptions& options,
                             LineWaiter& waiter,
                             TimePoint began);
  // True: somebody of this client holds it now, and nothing is to be sent.
  bool hand_over(const Holding& holding);
  // It will be handed to nobody: the next in its line asks the store.
  void pass_on(const Holding& holding, LocalLines::Section section);
  bool somebody_queues_for(const LockName& name);
  // A release has reached the store, which may have offered the lock to somebody who is frozen, and
  // so will answer no more. When that offer has ended, the first of ours who queues looks again:
  // all that it knows otherwise is when the lease could have ended.
  void look_again_after_offer(const LockName& name);
  void look_again();
  void arm_look_again(TimePoint due);

  // --- release -----------------------------------------------------------------------------------
  Ending end(Holding& holding);
  // By a connection of the caller's, if there is one for it.
  std::optional<Result<ReleaseOutcome>> release_here(const Lease& lease);
  Result<ReleaseOutcome> give_back(const Lease& lease);
  Task<void> release_task(std::shared_ptr<Holding> holding,
                          std::shared_ptr<std::promise<Result<ReleaseOutcome>>> promise);
  Result<ReleaseOutcome> release_on_loop(const std::shared_ptr<Holding>& holding);
  void released_at_store(const Holding& holding);
  // A lease that could not be released, or a claim that could not be withdrawn, because the store
  // was out of reach: the loop repeats the release. Any thread.
  void finish_on_loop(Lease lease);
  Task<void> finish_release(Lease lease);
  // Until none is left, or release_limit has passed since the last of them began.
  void wait_for_unfinished_releases();

  // --- tasks, keeping and the end ----------------------------------------------------------------
  void task_begins(int& tasks);
  void task_is_over(int& tasks);
  void tell(const std::exception_ptr& thrown) const;
  void take_in();
  void arm_intake(TimePoint due);
  void wait_for_calls(std::optional<Duration> limit);
  void wait_for_user_tasks();
  std::vector<std::shared_ptr<Holding>> take_all_that_is_held();

  const posix::ForkMark fork_;
  std::shared_ptr<Backend> backend_;
  ClientOptions options_;
  SystemTokenSource tokens_;
  std::unique_ptr<EventLoop> loop_;

  // The loop's own connection and its users; ended on the loop's thread.
  ClosableStore store_;
  LeaseLock protocol_;
  LockClient lock_client_;
  QueueLock queue_protocol_;
  LockClient queue_client_;
  std::unique_ptr<Reactor::Timer> intake_timer_;
  std::unique_ptr<Reactor::Timer> look_again_timer_;
  // The releases that the loop repeats; on the loop's thread.
  std::list<Cancellation*> finishing_;
  bool finishes_no_more_ = false;

  Sessions sessions_;
  MutexOfLines mutex_of_lines_;
  LocalLines lines_;
  std::atomic<int> calls_ = 0;
  std::atomic<bool> is_closing_ = false;
  std::stop_source closing_;  // ends the waits of blocking calls

  std::mutex mutex_;
  // Below: under the mutex.
  // What is held, by when the loop has to see to it next: never, if it is kept already.
  std::multimap<TimePoint, std::shared_ptr<Holding>> held_;
  TimePoint intake_at_ = TimePoint::max();
  // The callers of this client who queue for a lock.
  std::map<LockName, std::list<std::shared_ptr<Cancellation>>> queued_;
  std::map<LockName, TimePoint> look_again_at_;
  std::condition_variable ended_;  // a call or a task
  int user_tasks_ = 0;
  int own_tasks_ = 0;
  int unfinished_releases_ = 0;
  TimePoint last_unfinished_release_{};
};

}  // namespace interlock
