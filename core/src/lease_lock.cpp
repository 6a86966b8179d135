#include "interlock/protocols/lease_lock.hpp"

#include "interlock/store/lock_keys.hpp"

namespace interlock {

Task<Result<AcquireOutcome>> LeaseLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  return claim(std::move(name), std::move(owner), ttl, std::string(), Asks::first);
}

OperationAwaiter<ClaimReply> LeaseLock::send_claim(
    const LockName& name, const OwnerToken& owner, Ttl ttl, const std::string&, Asks) {
  return store().claim(lock_key(name), owner, ttl);
}

OperationAwaiter<OwnerCheck> LeaseLock::send_release(const LockName& name,
                                                     const OwnerToken& owner) {
  return store().release(lock_key(name), owner);
}

}  // namespace interlock
