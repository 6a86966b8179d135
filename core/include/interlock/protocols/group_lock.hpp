// The production locks that several owners have together: readers (SharedLock), and holders of
// permits (PermitLock). docs/adr/0014 explains them.
#pragma once

#include <string>

#include "interlock/permits.hpp"
#include "interlock/protocols/queued_protocol.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// The common part. Promises, on a store that keeps what it acknowledged: while a group has the
// lock, no LeaseLock, QueueLock or group of another kind has it; each lease ends by its own ttl,
// whatever the others do. Waiters that listen are admitted in the order in which they queued up,
// together with those of a QueueLock: one that may not join the group keeps all behind it waiting,
// unless it is dead, which a store with knows_listeners() sees. One that is admitted and does not
// answer for a claim window loses its place. With a quarantine it promises the same of a store that
// loses what it acknowledged when it fails over or restarts.
class GroupLock : public QueuedProtocol {
 protected:
  using QueuedProtocol::QueuedProtocol;

 private:
  OperationAwaiter<ClaimReply> send_claim(const LockName& name,
                                          const OwnerToken& owner,
                                          Ttl ttl,
                                          const ClaimDetails& details,
                                          Asks asks) override;
  OperationAwaiter<OwnerCheck> send_renewal(const LockName& name,
                                            const OwnerToken& owner,
                                            Ttl ttl) override;
  OperationAwaiter<OwnerCheck> send_release(const LockName& name, const OwnerToken& owner) override;
};

// Readers. All readers that have the lock together have one fencing token, which is greater than
// those of all grants before them, and smaller than those of all writers after them. A resource
// that refuses tokens smaller than the greatest it has seen is safe from readers and writers that
// were paused past their leases.
class SharedLock final : public GroupLock {
 public:
  static constexpr std::string_view protocol_id = "shared-lock";

  // A policy out of its ranges ends the process with a message; see QueuePolicy::wrong().
  SharedLock(KeyValueStore& store,
             TimeSource& time,
             SafetyMargin margin = {},
             QueuePolicy policy = {},
             std::optional<Quarantine> quarantine = {},
             Retention retention = Retention())
      : GroupLock(store, time, margin, policy, quarantine, retention) {}

  std::string_view id() const noexcept override { return protocol_id; }
  std::string_view owner_mark() const noexcept override { return OwnerToken::shared_mark; }

  // Makes the lease of a QueueLock one of a reader, under a fresh owner token of this protocol,
  // with its ttl anew, and admits the readers that wait in front, unless there is a quarantine. In
  // between nobody else has the lock. Busy: it is not this lease's any more; the holder is empty if
  // nobody has it. `indeterminate`: one of the two owners may hold the lock; release both.
  Task<Result<AcquireOutcome>> downgrade(Lease exclusive, OwnerToken owner);
};

// Permits: as many owners have the lock together as there are permits for. Each has a fencing token
// of its own, which is greater than all before it. A resource cannot check these as it checks those
// of a lock that one owner has alone, because several are valid at a time.
class PermitLock final : public GroupLock {
 public:
  static constexpr std::string_view protocol_id = "permit-lock";

  // For owner tokens that end with Permits::mark(). A policy out of its ranges ends the process
  // with a message; see QueuePolicy::wrong().
  PermitLock(KeyValueStore& store,
             TimeSource& time,
             SafetyMargin margin = {},
             QueuePolicy policy = {},
             std::optional<Quarantine> quarantine = {},
             Retention retention = Retention())
      : GroupLock(store, time, margin, policy, quarantine, retention) {}
  // The same, and fresh owner tokens want these.
  void wants(const Permits& permits) { mark_ = permits.mark(); }

  std::string_view id() const noexcept override { return protocol_id; }
  std::string_view owner_mark() const noexcept override { return mark_; }
  // `invalid_argument` as well: those that have permits now count to another number.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  Task<Result<AcquireOutcome>> queue_up(
      LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) override;

 private:
  std::string mark_ = Permits(1, 1).mark();
};

}  // namespace interlock

#pragma GCC visibility pop
