#include "interlock/protocols/lease_lock.hpp"

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"

namespace interlock {

Task<Result<AcquireOutcome>> LeaseLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  return claim(std::move(name), std::move(owner), ttl, ClaimDetails(), Asks::first);
}

OperationAwaiter<ClaimReply> LeaseLock::send_claim(
    const LockName& name, const OwnerToken& owner, Ttl ttl, const ClaimDetails&, Asks) {
  if (!quarantine()) return store().claim(lock_key(name), owner, ttl, retention());
  const LockKeys& keys = name.keys();
  std::vector<Key> all;
  all.reserve(3);
  all.push_back(keys.lock());
  all.push_back(keys.fencing());
  all.push_back(incarnation_key());
  std::vector<detail::SharedText> arguments;
  arguments.reserve(4);
  arguments.push_back(owner.shared());
  arguments.emplace_back(std::to_string(ttl.duration().count()));
  arguments.emplace_back(std::to_string(retention().with(ttl.duration()).count()));
  arguments.emplace_back(std::to_string(quarantine()->lasts().count()));
  return store().claim_by(quarantined_claim_script(), std::move(all), std::move(arguments));
}

OperationAwaiter<OwnerCheck> LeaseLock::send_release(const LockName& name,
                                                     const OwnerToken& owner) {
  return store().release(lock_key(name), owner);
}

}  // namespace interlock
