// The production lock without a queue: a key that holds its owner's token and expires, and a
// fencing token for every grant. The store compares the owner and makes the change in one step.
// Sources: Redis manual, SET, "Patterns"; M. Kleppmann, "How to do distributed locking", 2016.
#pragma once

#include "interlock/protocols/lease_protocol.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Promises, on a store that keeps what it acknowledged: the lock has at most one owner at a time;
// only the owner renews or releases it; fencing tokens grow with every grant; a lock that is not
// renewed ends with its ttl. Does not promise that a holder which is paused past its lease stops
// acting: the fencing token is for that case. With a quarantine it promises the same of a store
// that loses what it acknowledged when it fails over or restarts.
class LeaseLock final : public LeaseProtocol {
 public:
  static constexpr std::string_view protocol_id = "lease-lock";

  LeaseLock(KeyValueStore& store,
            TimeSource& time,
            SafetyMargin margin = {},
            std::optional<Quarantine> quarantine = {},
            Retention retention = Retention())
      : LeaseProtocol(store, time, margin, quarantine, retention) {}

  std::string_view id() const noexcept override { return protocol_id; }
  // `invalid_argument` as well: the safety margin leaves nothing of the ttl, or the ttl is longer
  // than the quarantine's longest.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;

 private:
  OperationAwaiter<ClaimReply> send_claim(const LockName& name,
                                          const OwnerToken& owner,
                                          Ttl ttl,
                                          const ClaimDetails& details,
                                          Asks asks) override;
  OperationAwaiter<OwnerCheck> send_release(const LockName& name, const OwnerToken& owner) override;
};

}  // namespace interlock

#pragma GCC visibility pop
