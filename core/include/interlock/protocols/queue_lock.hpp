// The production lock, with a queue: first come, first served. docs/adr/0005 explains it.
#pragma once

#include "interlock/protocols/lease_protocol.hpp"

namespace interlock {

// Durations: 1 ms to 365 days.
class QueuePolicy {
 public:
  // How long an offer stands: choose it well above the time from a message to the command that
  // follows. A waiter that is killed at the front delays the others by this time at most. A waiter
  // that is frozen there delays them until one of them asks the store again. A Client that has
  // released the lock and waits for it again asks when the offer has ended; the others ask when the
  // ttl that they were told of has passed. A waiter that answers too late keeps its place in the
  // queue.
  milliseconds claim_window{500};
  // How much later than agreed a waiter may ask again before it loses its place.
  milliseconds grace{std::chrono::seconds{10}};
  // When a waiter asks again if the holder's key never expires.
  milliseconds recheck{std::chrono::seconds{5}};
  // How many fencing tokens a grant reserves, that is how many sections may follow each other under
  // one grant. 1 to 1'000'000.
  std::int64_t fencing_block = 1;

  // `invalid_argument`: the first field that is out of its range, with value and range.
  std::optional<Error> wrong() const;
};

// Promises what LeaseLock promises, with a quarantine and without. Waiters that listen get the lock
// in the order in which they queued up, also if others die, give up or are slow, and send nothing
// while they wait. Keys and fencing tokens are those of LeaseLock. Both may be used on one name,
// but a waiter behind a holder that does not hand over must poll, and clients that queue may be
// preferred for ever to one that does not.
class QueueLock final : public LeaseProtocol {
 public:
  static constexpr std::string_view protocol_id = "queue-lock";

  // A policy out of its ranges ends the process with a message; see QueuePolicy::wrong().
  QueueLock(KeyValueStore& store,
            TimeSource& time,
            SafetyMargin margin = {},
            QueuePolicy policy = {},
            std::optional<Quarantine> quarantine = {},
            Retention retention = Retention());

  std::string_view id() const noexcept override { return protocol_id; }
  // Takes a lock that is free and for which no living waiter queues; takes no place. Errors of this
  // and of queue_up(): also `invalid_argument`, for an owner or channel with white space, which no
  // token source makes, or if the safety margin leaves nothing of the ttl, or the ttl is longer
  // than the quarantine's longest.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  Task<Result<AcquireOutcome>> queue_up(
      LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) override;
  bool has_queue() const noexcept override { return true; }
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
  std::int64_t fencing_block() const noexcept override { return policy_.fencing_block; }

  QueuePolicy policy_;
};

}  // namespace interlock
