// The common part of all protocols whose waiters queue at the store: QueueLock, SharedLock and
// PermitLock. They stand in one queue.
#pragma once

#include <optional>
#include <vector>

#include "interlock/policies.hpp"
#include "interlock/protocols/lease_protocol.hpp"

#pragma GCC visibility push(default)

namespace interlock {

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
