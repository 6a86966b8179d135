// The production lock: a key that holds its owner's token and expires, and a fencing token for
// every grant. Whatever compares and changes does so in one step at the store. Sources: Redis
// manual, SET, "Patterns"; M. Kleppmann, "How to do distributed locking", 2016.
#pragma once

#include "interlock/key_value_store.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

// Promises, for a store that keeps what it acknowledged: at most one owner's key at a time; only
// the owner renews or releases; fencing tokens grow with every grant; nothing outlives its ttl.
// Does not promise that a holder which is paused past its lease stops acting: that is what the
// fencing token is for.
class LeaseLock final : public LockProtocol {
 public:
  static constexpr std::string_view protocol_id = "lease-lock";

  LeaseLock(KeyValueStore& store, TimeSource& time, SafetyMargin margin = {})
      : store_(store), time_(time), margin_(margin) {}

  std::string_view id() const noexcept override { return protocol_id; }
  // `invalid_argument` as well: the safety margin leaves nothing of the ttl.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName& name) const override;

 private:
  KeyValueStore& store_;
  TimeSource& time_;
  SafetyMargin margin_;
};

}  // namespace interlock
