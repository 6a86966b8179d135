#include "interlock/flawed/setnx_expire_lock.hpp"

#include "interlock/store/lock_keys.hpp"
#include "stamps.hpp"

namespace interlock::flawed {

Task<Result<AcquireOutcome>> SetnxExpireLock::try_acquire(LockName name,
                                                          OwnerToken owner,
                                                          Ttl ttl) {
  const Key key = lock_key(name);
  const Lease lease = lease_without_fencing(name, owner, ttl, time_.now());
  const std::string value = "1";
  const Result<bool> set = co_await store_.set_if_absent(key, value);
  if (!set) co_return set.error();
  if (!*set) co_return busy();
  // A crash here is the end of this lock.
  const Result<bool> limited = co_await store_.expire(key, ttl.duration());
  if (!limited) co_return limited.error();
  co_return AcquireOutcome(lease);
}

Task<Result<RenewOutcome>> SetnxExpireLock::renew(Lease lease) {
  const TimePoint sent = time_.now();
  const Result<bool> limited =
      co_await store_.expire(lock_key(lease.name()), lease.ttl().duration());
  if (!limited) co_return limited.error();
  if (!*limited) co_return RenewOutcome(LeaseLost(LossReason::gone));
  co_return RenewOutcome(lease.renewed(sent, SafetyMargin()));
}

Task<Result<ReleaseOutcome>> SetnxExpireLock::release(Lease lease) {
  const Result<bool> erased = co_await store_.erase(lock_key(lease.name()));
  if (!erased) co_return erased.error();
  co_return *erased ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

}  // namespace interlock::flawed
