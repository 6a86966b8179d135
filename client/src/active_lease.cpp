#include "active_lease.hpp"

#include <algorithm>
#include <utility>

#include "client_core.hpp"
#include "interlock/local_clock.hpp"

namespace interlock {

Error client_is_gone(const LockName& name) {
  return {Errc::invalid_argument, "releasing '" + name.text() +
                                      "': its client was destroyed before: let guards end before "
                                      "their client; the lock stays held until its ttl ends"};
}

ActiveLease::ActiveLease(Client::Core& core,
                         LockKind kind,
                         Lease lease,
                         bool renew,
                         std::optional<TimePoint> hand_over_until,
                         Duration stays)
    : owner_(core.weak_from_this()),
      core_(core),
      kind_(kind),
      lease_(std::move(lease)),
      renew_(renew),
      hand_over_until_(hand_over_until),
      certain_until_(lease_.certain_until().time_since_epoch().count()),
      at_risk_from_(lease_.at_risk_from().time_since_epoch().count()),
      stays_(stays.count()),
      granted_(stays > Duration::zero() ? local_now() : TimePoint()),
      held_since_(core.reports() ? local_now().time_since_epoch().count() : 0),
      confirmed_from_(lease_.sent()) {}

Result<ReleaseOutcome> ActiveLease::release_without_client() const {
  if (in_child()) {
    return posix::used_in_child("releasing '" + lease_.name().text() + "'", "its client");
  }
  if (loss() == LossReason::client_gone) return client_is_gone(lease_.name());
  return ReleaseOutcome::not_holder;
}

bool ActiveLease::add_guard() noexcept {
  if (is_released_.load(std::memory_order_acquire)) return false;
  guards_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool ActiveLease::leave_to_others() noexcept {
  std::size_t guards = guards_.load(std::memory_order_relaxed);
  while (guards > 1) {
    if (guards_.compare_exchange_weak(guards, guards - 1, std::memory_order_acq_rel)) return true;
  }
  // What the other guards' users did is over before the release.
  std::atomic_thread_fence(std::memory_order_acquire);
  return false;
}

TimePoint ActiveLease::certain_until() const noexcept {
  if (in_child() || is_released_.load(std::memory_order_acquire)) return {};
  return TimePoint(Duration(certain_until_.load(std::memory_order_acquire)));
}

LeaseState ActiveLease::state() const noexcept {
  if (in_child() || loss_.load(std::memory_order_acquire) != no_loss) return LeaseState::lost;
  const TimePoint now = local_now();
  if (now >= certain_until()) return LeaseState::lost;
  const TimePoint risk{Duration(at_risk_from_.load(std::memory_order_acquire))};
  return now >= risk ? LeaseState::at_risk : LeaseState::held;
}

std::optional<LossReason> ActiveLease::loss() const noexcept {
  if (in_child()) return LossReason::forked;
  const int loss = loss_.load(std::memory_order_acquire);
  if (loss == no_loss) return std::nullopt;
  return static_cast<LossReason>(loss);
}

FencingToken ActiveLease::fencing() const noexcept {
  const auto section = static_cast<std::uint64_t>(section_.load(std::memory_order_relaxed));
  return FencingToken(lease_.fencing().value() + section);
}

Lease ActiveLease::lease_of_section() const {
  return lease_.after(section_.load(std::memory_order_relaxed));
}

void ActiveLease::begin_section(std::int64_t number) noexcept {
  section_.store(number, std::memory_order_relaxed);
  if (core_.reports()) {
    held_since_.store(local_now().time_since_epoch().count(), std::memory_order_relaxed);
    hold_has_ended_.store(false, std::memory_order_release);
  }
  if (!has_given_lost_token_.load(std::memory_order_relaxed)) return;
  std::stop_source none(std::nostopstate);
  const std::lock_guard lock(lost_mutex_);
  lost_.swap(none);
  has_given_lost_token_.store(false, std::memory_order_relaxed);
}

std::optional<Duration> ActiveLease::end_hold() noexcept {
  if (hold_has_ended_.exchange(true, std::memory_order_acq_rel)) return std::nullopt;
  return local_now() - TimePoint(Duration(held_since_.load(std::memory_order_relaxed)));
}

// A child gets a source of its own: stopping the parent's would run the parent's callbacks there.
std::stop_token ActiveLease::lost_token() const {
  if (!in_child()) {
    const std::lock_guard lock(lost_mutex_);
    if (!lost_.stop_possible()) {
      lost_ = std::stop_source();
      // on_lost() came before, and has found nothing to stop.
      if (loss()) lost_.request_stop();
    }
    has_given_lost_token_.store(true, std::memory_order_relaxed);
    return lost_.get_token();
  }
  std::stop_source lost;
  lost.request_stop();
  return lost.get_token();
}

void ActiveLease::on_due() {
  core_.stop_handing_over(*this);
}

void ActiveLease::keep_alive() {
  keeper_.emplace(core_.store().protocol(kind_), core_.loop(), *this, lease_of_section());
  // Each task owns this object until it has ended, and with it the keeper.
  const auto with_this = [](std::shared_ptr<ActiveLease>, Task<void> task) -> Task<void> {
    co_await task;
  };
  core_.spawn_own(with_this(shared_from_this(), keeper_->watch()));
  if (renew_) core_.spawn_own(with_this(shared_from_this(), keeper_->renew()));
}

void ActiveLease::stop() {
  if (keeper_) keeper_->stop();
}

void ActiveLease::leave_behind() {
  stop();
  if (!loss()) on_lost(lease_, LossReason::client_gone);
}

void ActiveLease::on_renewed(const Lease& lease, Duration took) {
  // A release for which memory ran out has not stopped the renewal.
  if (is_released_.load(std::memory_order_acquire)) return stop();
  const TimePoint until(Duration(certain_until_.load(std::memory_order_acquire)));
  const Duration lifetime = until - std::exchange(confirmed_from_, lease.sent());
  const Duration left = std::max(Duration::zero(), until - (lease.sent() + took));
  at_risk_from_.store(lease.at_risk_from().time_since_epoch().count(), std::memory_order_release);
  certain_until_.store(lease.certain_until().time_since_epoch().count(), std::memory_order_release);
  core_.report([&] {
    Event renewed(EventKind::renewed, lease_of_section());
    renewed.took = took;
    renewed.share_left = static_cast<double>(left.count()) / static_cast<double>(lifetime.count());
    return renewed;
  });
}

void ActiveLease::on_at_risk(const Lease&) {
  core_.report([&] { return Event(EventKind::at_risk, lease_of_section()); });
}

void ActiveLease::on_lost(const Lease&, LossReason why) {
  loss_.store(static_cast<int>(why), std::memory_order_release);
  const Duration::rep now = local_now().time_since_epoch().count();
  if (now < certain_until_.load(std::memory_order_acquire)) {
    certain_until_.store(now, std::memory_order_release);
  }
  std::stop_source source(std::nostopstate);
  {
    const std::lock_guard lock(lost_mutex_);
    source = lost_;
  }
  source.request_stop();
  core_.report([&] {
    Event lost(EventKind::lost, lease_of_section());
    lost.loss = why;
    return lost;
  });
  core_.report_hold_ended(*this);
}

void ActiveLease::on_renewal_error(const Lease&, const Error& error) {
  // The process may have no descriptor for the loop's connection, which is made for the first
  // renewal. Closing the connections that nobody uses at the moment frees some.
  if (error.code() == Errc::unavailable) core_.store().close_idle_connections();
  core_.report([&] {
    Event failed(EventKind::error, lease_of_section());
    failed.error = error;
    return failed;
  });
}

}  // namespace interlock
