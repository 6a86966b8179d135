// One lease that somebody holds: renewed and watched until it is released or lost.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>

#include "interlock/client.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/renewal.hpp"

namespace interlock {

Error client_is_gone(const LockName& name);

class Holding final : public LeaseListener, public std::enable_shared_from_this<Holding> {
 public:
  // `line_waits_until`: for how long those who line up in this process count on being handed it.
  Holding(Client::Core& core, Lease lease, bool renew, std::optional<TimePoint> line_waits_until);

  // --- any thread --------------------------------------------------------------------------------
  const Lease& lease() const noexcept { return lease_; }  // as granted
  // In a child of fork() it is lost, whatever became of it in the parent.
  bool in_child() const noexcept { return fork_.in_child(); }
  TimePoint certain_until() const noexcept;
  LeaseState state() const noexcept;
  std::optional<LossReason> loss() const noexcept;
  std::stop_token lost_token() const noexcept;
  // Null: the client is gone.
  std::shared_ptr<Client::Core> core() const noexcept { return owner_.lock(); }
  // What a release says when it is.
  Result<ReleaseOutcome> release_without_client() const;
  bool in_line() const noexcept { return line_waits_until_.has_value(); }
  // When the loop has to see to it, at first.
  TimePoint due() const noexcept { return line_waits_until_.value_or(lease_.renewal_due()); }

  // --- the loop's thread -------------------------------------------------------------------------
  // Until stop(), the lease is kept alive and its loss is told.
  void keep();
  void stop();
  // Its client goes, and nobody is left to renew it.
  void leave_behind();

  void on_renewed(const Lease& lease, Duration took) override;
  void on_at_risk(const Lease& lease) override;
  void on_lost(const Lease& lease, LossReason why) override;
  void on_renewal_error(const Lease& lease, const Error& error) override;

  // Guarded by the core's mutex. A lease that is released before its renewal falls due never costs
  // the loop anything.
  enum class Stage : std::uint8_t { listed, kept, ended };
  Stage stage = Stage::listed;
  std::multimap<TimePoint, std::shared_ptr<Holding>>::iterator place;  // until it has ended

 private:
  Event event(EventKind kind) const;

  static constexpr int no_loss = -1;

  const posix::ForkMark fork_;
  const std::weak_ptr<Client::Core> owner_;
  Client::Core& core_;  // on the loop's thread, which ends before it
  const Lease lease_;
  const bool renew_;
  const std::optional<TimePoint> line_waits_until_;
  std::atomic<Duration::rep> certain_until_;
  std::atomic<Duration::rep> at_risk_from_;
  std::atomic<int> loss_ = no_loss;
  std::stop_source lost_;
  std::optional<LeaseKeeper> keeper_;
};

}  // namespace interlock
