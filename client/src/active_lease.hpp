// One lease that somebody holds: renewed and watched until it is released or lost.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "interlock/client.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/renewal.hpp"
#include "lock_kinds.hpp"
#include "renewal_schedule.hpp"

namespace interlock {

Error client_is_gone(const LockName& name);

class ActiveLease final : public LeaseListener,
                          public RenewalSchedule::ScheduledLease,
                          public std::enable_shared_from_this<ActiveLease> {
 public:
  // `hand_over_until`: until this instant other callers of the client wait to be handed the lease;
  // none: they do not.
  ActiveLease(Client::Core& core,
              LockKind kind,
              Lease lease,
              bool renew,
              std::optional<TimePoint> hand_over_until,
              Duration stays);

  // --- any thread --------------------------------------------------------------------------------
  const Lease& lease() const noexcept { return lease_; }  // as granted
  // The token and the lease of the present section, or of the last one: see begin_section().
  FencingToken fencing() const noexcept;
  Lease lease_of_section() const;
  // True in a child of fork(): there the lease is lost, whatever became of it in the parent.
  bool in_child() const noexcept { return fork_.in_child(); }
  TimePoint certain_until() const noexcept;
  LeaseState state() const noexcept;
  std::optional<LossReason> loss() const noexcept;
  std::stop_token lost_token() const;  // throws std::bad_alloc
  // Null: the client is gone.
  std::shared_ptr<Client::Core> core() const noexcept { return owner_.lock(); }
  // The result of a release when the client is gone.
  Result<ReleaseOutcome> release_without_client() const;
  LockKind kind() const noexcept { return kind_; }
  bool is_renewed() const noexcept { return renew_; }
  // The release begins: from now on the lease is not certain any more.
  void begin_release() noexcept { is_released_.store(true, std::memory_order_release); }
  // Another guard will hold it, too. False: it has been released.
  bool add_guard() noexcept;
  // A guard ends. True: there are others, of which the last releases the lock.
  bool leave_to_others() noexcept;
  bool is_shared() const noexcept { return guards_.load(std::memory_order_acquire) > 1; }
  // LockOptions::at_least: from granted() on; zero also if that was waived.
  Duration stays() const noexcept { return Duration(stays_.load(std::memory_order_relaxed)); }
  TimePoint granted() const noexcept { return granted_; }  // only for a lock that stays
  void waive_stay() noexcept { stays_.store(0, std::memory_order_relaxed); }
  // Called before anybody else has it.
  void note_acquired_by_task() noexcept { was_acquired_by_task_ = true; }
  bool was_acquired_by_task() const noexcept { return was_acquired_by_task_; }
  bool may_be_handed_over() const noexcept { return hand_over_until_.has_value(); }
  // For the thread that begins another section of a kept grant.
  void begin_section(std::int64_t number) noexcept;
  // How long the section is held, for the first caller of each section; none: it has ended before.
  std::optional<Duration> end_hold() noexcept;
  TimePoint first_due() const override { return hand_over_until_.value_or(renewal_due()); }
  TimePoint renewal_due() const override { return lease_.renewal_due(); }

  // --- the loop's thread -------------------------------------------------------------------------
  // Other callers of the client no longer wait to be handed it, because its section goes on; or it
  // is released, because it was kept.
  void on_due() override;
  // Until stop(), the lease is renewed and its loss is reported.
  void keep_alive() override;
  void stop();
  // The client ends, so nobody renews the lease any more.
  void leave_behind();

  void on_renewed(const Lease& lease, Duration took) override;
  void on_at_risk(const Lease& lease) override;
  void on_lost(const Lease& lease, LossReason why) override;
  void on_renewal_error(const Lease& lease, const Error& error) override;

 private:
  static constexpr int no_loss = -1;

  const posix::ForkMark fork_;
  const std::weak_ptr<Client::Core> owner_;
  Client::Core& core_;  // on the loop's thread, which ends before it
  const LockKind kind_;
  const Lease lease_;
  const bool renew_;
  const std::optional<TimePoint> hand_over_until_;
  bool was_acquired_by_task_ = false;
  std::atomic<Duration::rep> certain_until_;
  std::atomic<Duration::rep> at_risk_from_;
  std::atomic<int> loss_ = no_loss;
  std::atomic<bool> is_released_ = false;
  std::atomic<std::size_t> guards_ = 1;
  std::atomic<Duration::rep> stays_;
  const TimePoint granted_;
  std::atomic<std::int64_t> section_ = 0;
  // For the events: when the section began, and whether it is held no longer.
  std::atomic<Duration::rep> held_since_;
  std::atomic<bool> hold_has_ended_ = false;
  TimePoint confirmed_from_;  // on the loop's thread: when the latest confirmed request was sent
  // A section must not be told of what becomes of a later one.
  mutable std::atomic<bool> has_given_lost_token_ = false;
  mutable std::mutex lost_mutex_;  // guards lost_
  // The present section's, from when its user asks for a token on: few do, and it takes memory.
  mutable std::stop_source lost_{std::nostopstate};
  std::optional<LeaseKeeper> keeper_;
};

}  // namespace interlock
