#include "interlock/flawed/ttl_lock.hpp"

#include "interlock/store/lock_keys.hpp"
#include "stamps.hpp"

namespace interlock::flawed {

Task<Result<AcquireOutcome>> TtlLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  const Key key = lock_key(name);
  const Lease lease = lease_without_fencing(name, owner, ttl, time_.now());
  std::optional<milliseconds> px;
  if (options_.expires) px = ttl.duration();
  Result<bool> set = co_await store_.set_if_absent(key, owner.text(), px);
  const bool unsure = !set && set.error().code() == Errc::indeterminate;
  if (set && *set) co_return AcquireOutcome(lease);
  if (!set && !(unsure && options_.knows_itself)) co_return set.error();
  if (!options_.knows_itself) co_return busy();
  const Result<std::optional<std::string>> holder = co_await store_.get(key);
  if (!holder) co_return holder.error();
  if (*holder == owner.text()) co_return AcquireOutcome(lease);
  co_return busy();
}

Task<Result<RenewOutcome>> TtlLock::renew(Lease lease) {
  const Key key = lock_key(lease.name());
  const TimePoint sent = time_.now();
  Result<bool> renewed = false;
  if (options_.renewal == TtlRenewal::blind) {
    renewed = co_await store_.expire(key, lease.ttl().duration());
  } else if (options_.renewal == TtlRenewal::set) {
    const std::optional<milliseconds> px = lease.ttl().duration();
    const Result<std::monostate> set = co_await store_.set(key, lease.owner().text(), px);
    if (!set) co_return set.error();
    renewed = true;
  } else {
    const Result<OwnerCheck> checked = co_await store_.renew(key, lease.owner(), lease.ttl());
    if (!checked) co_return checked.error();
    renewed = *checked == OwnerCheck::done;
  }
  if (!renewed) co_return renewed.error();
  if (!*renewed) co_return RenewOutcome(LeaseLost(LossReason::gone));
  co_return RenewOutcome(lease.renewed(sent, SafetyMargin()));
}

Task<Result<ReleaseOutcome>> TtlLock::release(Lease lease) {
  const Key key = lock_key(lease.name());
  for (int left = options_.release_retries;; --left) {
    const Result<bool> released = co_await release_once(key, lease.owner().text());
    if (released) co_return *released ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
    if (left == 0) co_return released.error();
  }
}

Task<Result<bool>> TtlLock::release_once(Key key, std::string token) {
  if (options_.release == TtlRelease::compare) {
    const OwnerToken owner(token);
    const Result<OwnerCheck> checked = co_await store_.release(key, owner);
    if (!checked) co_return checked.error();
    co_return *checked == OwnerCheck::done;
  }
  if (options_.release == TtlRelease::check_then_del) {
    const Result<std::optional<std::string>> holder = co_await store_.get(key);
    if (!holder) co_return holder.error();
    if (*holder != token) co_return false;
  }
  co_return co_await store_.erase(key);
}

}  // namespace interlock::flawed
