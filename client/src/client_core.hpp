// What a Client and its guards share.
#pragma once

#include <memory>
#include <optional>

#include "active_lease.hpp"
#include "blocking_calls.hpp"
#include "cohort.hpp"
#include "interlock/client.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/backend.hpp"
#include "kept_lease.hpp"
#include "renewal_schedule.hpp"
#include "report.hpp"
#include "store_access.hpp"
#include "task_group.hpp"

namespace interlock {

// Refuses what cannot be done, and passes the rest on to its parts, each of which says which thread
// calls it and what guards it.
class Client::Core : public std::enable_shared_from_this<Core> {
 public:
  // Everything that may fail has been made before.
  Core(std::shared_ptr<Backend> backend,
       const ClientOptions& options,
       std::unique_ptr<EventLoop> loop,
       std::unique_ptr<KeyValueStore> store);
  // The loop is turned by the options' reactor from then on. The error is that of its watch().
  std::optional<Error> begin();
  static Result<std::shared_ptr<Core>> open(std::shared_ptr<Backend> backend,
                                            const ClientOptions& options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Called once, before the destructor: see Client::~Client. Guards that are left are lost then.
  void close();
  bool in_child() const noexcept { return fork_.in_child(); }

  // Whether callers with these options may keep their grants between sections.
  bool may_keep(const LockOptions& options) const { return Cohort::may_keep(options_, options); }
  // Before the first acquire of a caller that keeps its grants. Starts a subscription; does not
  // wait.
  void listen_for_recalls() { store_.listen_for_recalls(); }
  // `keeps`: where the caller keeps them; null: it does not.
  AcquireResult acquire(const LockName& name,
                        const LockOptions& options,
                        const std::shared_ptr<KeptLease>& keeps = nullptr);
  // A stop of `closing` ends the wait, as one of the options' token does.
  Task<AcquireResult> acquire_async(LockName name,
                                    LockOptions options,
                                    std::stop_token closing = {});
  // The same for a callback: the end of the client ends the wait.
  Task<AcquireResult> acquire_until_closing(LockName name, LockOptions options);

  Result<ReleaseOutcome> release(const std::shared_ptr<ActiveLease>& held);
  Task<Result<ReleaseOutcome>> release_async(std::shared_ptr<ActiveLease> held);
  // Why a guard cannot be downgraded, here or in a task; none: it can. `has_left`: the guard has
  // left the lock to others.
  std::optional<Error> refuses_downgrade(const std::shared_ptr<ActiveLease>& held,
                                         bool has_left) const;
  std::optional<Error> refuses_downgrade_task(const std::shared_ptr<ActiveLease>& held,
                                              bool has_left) const;
  AcquireResult downgrade(std::shared_ptr<ActiveLease> held);
  Task<AcquireResult> downgrade_async(std::shared_ptr<ActiveLease> held);
  // For destructors: release as this thread may.
  void release_quietly(const std::shared_ptr<ActiveLease>& held) noexcept;
  // For a call that makes several, and gives back what some of them have got, also while the client
  // is being closed: its end waits for the call.
  BlockingCalls& calls() noexcept { return calls_; }
  void give_back(const std::shared_ptr<ActiveLease>& held) noexcept;
  // It was released, by whichever call, or the client is being closed.
  bool has_ended(const ActiveLease& held) const { return renewals_.has_ended(held); }

  // A task on the loop. The user's are waited for before the connections close; our own then end
  // because they close.
  void spawn(Task<void> task);
  // Throws what the task threw.
  void wait_for_end(Task<void> task);
  void spawn_own(Task<void> task) { own_tasks_.spawn(std::move(task)); }

  EventLoop& loop() noexcept { return *loop_; }
  Backend& backend() const noexcept { return *backend_; }
  StoreAccess& store() noexcept { return store_; }
  // On the loop's thread. Other callers no longer wait to be handed it, and it is no longer kept.
  void stop_handing_over(const ActiveLease& held);
  // Another caller has its next section, or releases it.
  void end_section(ActiveLease& held, KeptGrant::Fate fate);
  template <class Make>
  void report(const Make& make) const {
    interlock::report(options_, make);
  }
  bool reports() const noexcept { return options_.events != nullptr; }
  // Unless it was reported before.
  void report_hold_ended(ActiveLease& held) const;

 private:
  // Why this thread may not make a blocking call; none: it may.
  std::optional<Error> refuses_to_block(const char* what, const LockName& name) const;
  std::optional<Error> refuses_task(const char* what, const LockName& name) const;
  // Why nobody may acquire the lock with these options.
  std::optional<Error> refuses_options(const LockName& name, const LockOptions& options) const;
  Lease lease_to_release(const ActiveLease& held) const;
  Task<Cohort::Grant> acquire_alone(LockName name,
                                    LockOptions options,
                                    std::shared_ptr<Cancellation> cancellation);
  AcquireResult result_of(const LockName& name,
                          Cohort::Grant grant,
                          const LockOptions& options,
                          TimePoint began);
  void report_not_acquired(const LockName& name,
                           const Result<AcquireOutcome>& outcome,
                           TimePoint began) const;
  void release_kept(LocalQueues::Recall recalls);
  bool hand_over(const ActiveLease& held);
  void pass_on(const ActiveLease& held, LocalQueues::Section section);
  void on_released(const ActiveLease& held);
  RenewalSchedule::Stage end_renewal(ActiveLease& held);
  // For a release whose client and thread may make it.
  Result<ReleaseOutcome> release_now(const std::shared_ptr<ActiveLease>& held);
  Result<ReleaseOutcome> release_on_loop(const std::shared_ptr<ActiveLease>& held);
  Task<Result<ReleaseOutcome>> release_stopped(std::shared_ptr<ActiveLease> held);
  void wait_for_calls(std::optional<Duration> limit);
  void wait_for_user_tasks();
  void report_thrown(const std::exception_ptr& thrown) const;

  const posix::ForkMark fork_;
  const std::shared_ptr<Backend> backend_;
  const ClientOptions options_;
  std::unique_ptr<EventLoop> loop_;
  BlockingCalls calls_;
  TaskGroup user_tasks_;
  TaskGroup own_tasks_;
  StoreAccess store_;
  Cohort cohort_;
  RenewalSchedule renewals_;
  std::unique_ptr<Reactor::Watch> turned_by_;  // null: by its thread, or by the program
};

}  // namespace interlock
