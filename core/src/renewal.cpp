#include "interlock/renewal.hpp"

#include <algorithm>

namespace interlock {
namespace {

// A lease may be renewed sooner, together with others, by its interval divided by this.
constexpr int interval_over_slack = 256;

}  // namespace

// A sleep of one of the two tasks, which stop() and lose() can end early.
class LeaseKeeper::Nap : public TimeSource::SleepAwaiter {
 public:
  Nap(TimeSource& time, TimePoint until, PendingSleep*& slot, Duration slack = Duration::zero())
      : SleepAwaiter(time, until, slack), slot_(slot) {
    slot_ = this;
  }
  ~Nap() { slot_ = nullptr; }
  Nap(const Nap&) = delete;
  Nap& operator=(const Nap&) = delete;

 private:
  PendingSleep*& slot_;
};

Task<void> LeaseKeeper::renew() {
  TimePoint due = lease_.renewal_due();
  while (!stopped_ && !lost_) {
    {
      // With slack, renewals of many leases fall due together. Without it, each of ten thousand
      // leases would wake the processor separately, and send a command of its own.
      Nap nap(time_, due, renew_sleep_, (due - lease_.sent()) / interval_over_slack);
      co_await nap;
    }
    if (stopped_ || lost_) co_return;

    // After a stall this task may wake before watch() does. A lease that has ended is not revived:
    // callers that looked at it may have stopped their work.
    const TimePoint sent = time_.now();
    if (lease_.state(sent) == LeaseState::lost) {
      lose(LossReason::not_renewed_in_time);
      co_return;
    }
    Result<RenewOutcome> outcome = co_await protocol_.renew(lease_);
    const auto* const refused = outcome ? std::get_if<LeaseLost>(&*outcome) : nullptr;
    // The same if the answer comes after the lease's end but before watch() runs.
    if (!stopped_ && !lost_ && lease_.state(time_.now()) == LeaseState::lost) {
      lose(refused != nullptr ? refused->why : LossReason::not_renewed_in_time);
    }
    if (lost_) {
      // The holder was told of the loss while the request was under way. If the request was
      // applied, the key is ours for another ttl without a holder: release it.
      if (refused == nullptr) static_cast<void>(co_await protocol_.release(lease_));
      co_return;
    }
    if (stopped_) co_return;
    if (!outcome) {
      listener_.on_renewal_error(lease_, outcome.error());
      due = time_.now() + retry_interval();
      continue;
    }
    if (refused != nullptr) {
      lose(refused->why);
      co_return;
    }
    lease_ = std::get<Lease>(std::move(*outcome));
    due = lease_.renewal_due();
    listener_.on_renewed(lease_, time_.now() - sent);
  }
}

Task<void> LeaseKeeper::watch() {
  std::optional<TimePoint> risk_told_of;
  while (!stopped_ && !lost_) {
    const bool told = risk_told_of == lease_.certain_until();
    {
      Nap nap(time_, told ? lease_.certain_until() : lease_.at_risk_from(), watch_sleep_);
      co_await nap;
    }
    if (stopped_ || lost_) co_return;

    // The lease may have been renewed meanwhile: only what it says now counts.
    switch (lease_.state(time_.now())) {
      case LeaseState::held:
        break;
      case LeaseState::at_risk:
        if (risk_told_of != lease_.certain_until()) {
          risk_told_of = lease_.certain_until();
          listener_.on_at_risk(lease_);
        }
        break;
      case LeaseState::lost:
        lose(LossReason::not_renewed_in_time);
        break;
    }
  }
}

void LeaseKeeper::stop() {
  stopped_ = true;
  if (renew_sleep_ != nullptr) time_.wake(*renew_sleep_);
  if (watch_sleep_ != nullptr) time_.wake(*watch_sleep_);
}

void LeaseKeeper::lose(LossReason why) {
  lost_ = true;
  if (renew_sleep_ != nullptr) time_.wake(*renew_sleep_);
  if (watch_sleep_ != nullptr) time_.wake(*watch_sleep_);
  listener_.on_lost(lease_, why);
}

// Short enough for several more tries between the first failure and the end of the lease.
Duration LeaseKeeper::retry_interval() const {
  const Duration lifetime = lease_.certain_until() - lease_.sent();
  return std::max<Duration>(lifetime / 20, milliseconds{1});
}

}  // namespace interlock
