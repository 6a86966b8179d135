// The production lock, with a queue: first come, first served. docs/adr/0005 explains it.
#pragma once

#include "interlock/protocols/queued_protocol.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Promises what LeaseLock promises, with a quarantine and without. Waiters that listen get the lock
// in the order in which they queued up, also if others die, give up or are slow, and send nothing
// while they wait. Keys and fencing tokens are those of LeaseLock. Both may be used on one name,
// but a waiter behind a holder that does not hand over must poll, and clients that queue may be
// preferred for ever to one that does not.
class QueueLock final : public QueuedProtocol {
 public:
  static constexpr std::string_view protocol_id = "queue-lock";

  // A policy out of its ranges ends the process with a message; see QueuePolicy::wrong().
  QueueLock(KeyValueStore& store,
            TimeSource& time,
            SafetyMargin margin = {},
            QueuePolicy policy = {},
            std::optional<Quarantine> quarantine = {},
            Retention retention = Retention())
      : QueuedProtocol(store, time, margin, policy, quarantine, retention) {}

  std::string_view id() const noexcept override { return protocol_id; }
  // With a quarantine there is none.
  std::optional<Lease> lease_by_message(const LockName& name,
                                        const OwnerToken& owner,
                                        Ttl ttl,
                                        const Busy& answer,
                                        const std::string& message) override;
  std::string_view owner_mark() const noexcept override { return OwnerToken::fair_mark; }

 private:
  // With an empty `wake_up` it takes no place in the queue. A place or an offer is released like a
  // lock: `absent`, `other`, or `done`.
  OperationAwaiter<ClaimReply> send_claim(const LockName& name,
                                          const OwnerToken& owner,
                                          Ttl ttl,
                                          const ClaimDetails& details,
                                          Asks asks) override;
  OperationAwaiter<OwnerCheck> send_release(const LockName& name, const OwnerToken& owner) override;
  std::int64_t fencing_block() const noexcept override { return policy().fencing_block; }
};

}  // namespace interlock

#pragma GCC visibility pop
