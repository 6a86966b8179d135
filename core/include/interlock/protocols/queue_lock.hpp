// The production lock with a queue: first come, first served. docs/adr/0005 says how and why.
#pragma once

#include "interlock/key_value_store.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/queue_scripts.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

class QueuePolicy {
 public:
  // How long an offer stands. A waiter that is killed or frozen at the front delays the others by
  // as much; one that answers later keeps its place. Well above the time from a message to a
  // command.
  milliseconds claim_window{500};
  // How much longer than agreed a waiter may be silent before its place is given up.
  milliseconds grace{std::chrono::seconds{10}};
  // When to come back to a holder that never expires.
  milliseconds recheck{std::chrono::seconds{5}};
  // How many fencing tokens a grant reserves: sections that may follow each other under one grant.
  std::int64_t fencing_block = 1;
};

// Promises what LeaseLock does, and for waiters that listen: who queued up first is granted first,
// whoever else dies, gives up or is slow; nobody sends anything while it waits. Keys and fencing
// tokens are LeaseLock's; both may be used on one name, but a waiter behind a holder that does not
// hand over must poll, and one that does not queue may be overtaken for ever.
class QueueLock final : public LockProtocol {
 public:
  static constexpr std::string_view protocol_id = "queue-lock";

  QueueLock(KeyValueStore& store,
            TimeSource& time,
            SafetyMargin margin = {},
            QueuePolicy policy = {},
            QueueScripts scripts = {})
      : store_(store), time_(time), margin_(margin), policy_(policy), scripts_(scripts) {}

  std::string_view id() const noexcept override { return protocol_id; }
  // Takes a lock that is free if nobody alive waits for it; without taking a place. Both:
  // `invalid_argument` as well: an owner or ear with white space, which no token source makes; or
  // the safety margin leaves nothing of the ttl.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  Task<Result<AcquireOutcome>> queue_up(LockName name,
                                        OwnerToken owner,
                                        Ttl ttl,
                                        std::optional<Channel> ear) override;
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  // Also of a place in the queue, or an offer: then `not_holder`, or `released`.
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  // Told when the lock becomes free and nobody was waiting for it in the queue.
  std::optional<Channel> release_channel(const LockName& name) const override;
  bool has_queue() const noexcept override { return true; }
  OwnerToken owner(OwnerToken fresh) const override;

 private:
  Task<Result<AcquireOutcome>> claim(LockName name, OwnerToken owner, Ttl ttl, std::string ear);
  std::vector<std::string> claim_arguments(const OwnerToken& owner, Ttl ttl, std::string ear) const;

  KeyValueStore& store_;
  TimeSource& time_;
  SafetyMargin margin_;
  QueuePolicy policy_;
  QueueScripts scripts_;
};

}  // namespace interlock
