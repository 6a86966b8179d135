// The common part of all protocols whose waiters queue at the store: QueueLock, SharedLock and
// PermitLock. They stand in one queue.
#pragma once

#include <optional>
#include <vector>

#include "interlock/protocols/lease_protocol.hpp"

#pragma GCC visibility push(default)

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

class QueuedProtocol : public LeaseProtocol {
 public:
  // Takes a lock that it may have and for which no living waiter queues; takes no place. Errors of
  // this and of queue_up(): also `invalid_argument`, for an owner or channel with white space,
  // which no token source makes, or if the safety margin leaves nothing of the ttl, or the ttl is
  // longer than the quarantine's longest.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  Task<Result<AcquireOutcome>> queue_up(
      LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) override;
  bool has_queue() const noexcept override { return true; }

 protected:
  // A policy out of its ranges ends the process with a message; see QueuePolicy::wrong().
  QueuedProtocol(KeyValueStore& store,
                 TimeSource& time,
                 SafetyMargin margin,
                 QueuePolicy policy,
                 std::optional<Quarantine> quarantine,
                 Retention retention);

  // What the scripts of a claim get: see queue_claim_script(). At a store with quarantines one more
  // follows.
  std::vector<detail::SharedText> claim_arguments(const OwnerToken& owner,
                                                  Ttl ttl,
                                                  const ClaimDetails& details,
                                                  Asks asks) const;
  const QueuePolicy& policy() const noexcept { return policy_; }

 private:
  QueuePolicy policy_;
};

namespace detail {

// What the scripts of a release get: see queue_release_script(). With a quarantine, also how long
// one lasts.
std::vector<SharedText> release_arguments(const LockName& name,
                                          const OwnerToken& owner,
                                          const QueuePolicy& policy,
                                          const std::optional<Quarantine>& quarantine,
                                          Retention retention);

}  // namespace detail

}  // namespace interlock

#pragma GCC visibility pop
