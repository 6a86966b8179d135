// The releases of a client, which are repeated while the store is away.
#include <algorithm>

#include "deadline.hpp"
#include "interlock/lock_client.hpp"

namespace interlock {

Task<Result<ReleaseOutcome>> LockClient::release(Lease lease) {
  const TimePoint began = time_.now();
  Result<ReleaseOutcome> outcome = co_await protocol_.release(lease);
  tell_release(lease, outcome, began);
  if (!outcome) leave_behind(lease, outcome.error());
  co_return outcome;
}

Task<void> LockClient::finish_release(Lease lease, Cancellation* cancellation) {
  const TimePoint began = time_.now();
  const Duration ttl = lease.ttl().duration();
  // All renewals were sent before `began`, so at `over` the lease has ended at the store, too.
  const TimePoint over = instant_after(began, ttl + lease.margin());
  const auto cancelled = [&] { return cancellation != nullptr && cancellation->requested(); };

  finishing_.push_back(&lease);
  Duration pause = policy_.backoff_first;
  for (;;) {
    co_await sleep_until(cancellation, std::min(over, time_.now() + jittered(pause)));
    if (cancelled() || time_.now() >= over) break;
    const bool stays = lease.stays_for(time_.now()).has_value();
    Result<ReleaseOutcome> outcome = co_await protocol_.release(lease);
    // `not_holder` here most likely means that an earlier release was applied and not answered. But
    // a lease that stays would still be there.
    if (outcome && !stays) outcome = ReleaseOutcome::released;
    if (outcome || !is_out_of_reach(outcome.error())) {
      tell_release(lease, outcome, began);
      break;
    }
    pause = std::min(pause * 2, policy_.backoff_longest);
  }
  std::erase(finishing_, &lease);
}

bool LockClient::is_finishing(const LockName& name, const OwnerToken& owner) const {
  return std::any_of(finishing_.begin(), finishing_.end(), [&](const Lease* lease) {
    return lease->name() == name && lease->owner() == owner;
  });
}

void LockClient::leave_behind(const Lease& lease, const Error& why) const {
  if (left_behind_ && is_out_of_reach(why)) left_behind_(lease);
}

void LockClient::tell_release(const Lease& lease,
                              const Result<ReleaseOutcome>& outcome,
                              TimePoint began) const {
  if (events_ == nullptr) return;
  const bool released = outcome && *outcome == ReleaseOutcome::released;
  Event event(released ? EventKind::released : EventKind::error, lease);
  event.took = time_.now() - began;
  if (!outcome) {
    event.error = outcome.error();
  } else if (!released) {
    event.error.emplace(Errc::rejected, "releasing '" + lease.name().text() +
                                            "': it was not held any more: it had expired, or was "
                                            "erased or taken");
    event.loss = LossReason::gone;
  }
  events_->on_event(event);
}

}  // namespace interlock
