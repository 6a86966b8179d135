// The interface of every lock: three verbs, each a coroutine over KeyValueStore.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "interlock/error.hpp"
#include "interlock/lease.hpp"
#include "interlock/task.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class LeaseLost {
 public:
  explicit LeaseLost(LossReason because) : why(because) {}
  LossReason why;
};

using AcquireOutcome = std::variant<Lease, Busy>;     // what a protocol answers to a claim
using RenewOutcome = std::variant<Lease, LeaseLost>;  // and to a renewal
// Whether an owner has asked for a place in a queue before, so that it may have one.
enum class Asks : std::uint8_t { first, again };

// What a release has found.
enum class ReleaseOutcome : std::uint8_t {
  released,    // it was mine, and is free or stays held; or it has ended while an answer was lost
  not_holder,  // it was not mine any more; nothing has changed
};
std::string_view to_string(ReleaseOutcome outcome) noexcept;

// An object serves any number of locks and of concurrent calls, on the one thread to which its
// store belongs. It must outlive the tasks that it returns. A task cannot be cancelled; the limits
// of the store bound it. Errors of each verb: those of KeyValueStore, and what is said below.
class LockProtocol {
 public:
  virtual ~LockProtocol() = default;

  // Kebab-case, as users choose it: `lease-lock`.
  virtual std::string_view id() const noexcept = 0;

  // One try, which does not wait for a holder. It may be repeated with the same owner: a lock that
  // this owner holds already is granted again, with the same fencing token. `indeterminate`: the
  // claim may have been applied; release it or let it expire.
  virtual Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) = 0;

  // Starts the ttl anew if the lease's owner still holds the lock.
  virtual Task<Result<RenewOutcome>> renew(Lease lease) = 0;

  // Releases the lock if the lease's owner still holds it. A lease that stays is left to the owner
  // for the rest of its time instead (Lease::staying_until), and no waiter is notified.
  // `indeterminate`: the lock may stay held until its ttl ends.
  virtual Task<Result<ReleaseOutcome>> release(Lease lease) = 0;

  // The channel on which a release is announced; none: waiters must poll.
  virtual std::optional<Channel> release_channel(const LockName& name) const = 0;

  // --- for protocols with a queue ----------------------------------------------------------------
  // Whether waiters take their places by queue_up() and get a message when their turn has come.
  virtual bool has_queue() const noexcept { return false; }

  // Like try_acquire, and if the lock is busy, takes a place in the queue. When it is this owner's
  // turn, the release notifies `wake_up`, and calling this again is granted. Call it again also
  // when Busy::remaining has passed; otherwise the store takes the place for a dead client's. A
  // waiter without a wake-up channel calls again by itself; one that stops waiting calls release().
  // Asks::first only if this owner has never called this before: the queue is then not searched for
  // a place that it may have.
  virtual Task<Result<AcquireOutcome>> queue_up(
      LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks);

  // The lease that a message on the wake-up channel gives to this owner, who has a place in the
  // queue since `answer` came for its latest queue_up(). This sends nothing to the store. The lease
  // ends with the offer, which may be long before the ttl would: renew it. None: the message gives
  // no certain lease, or too little of it is left. Then call queue_up(), which is granted if the
  // message was an offer.
  virtual std::optional<Lease> lease_by_message(const LockName& name,
                                                const OwnerToken& owner,
                                                Ttl ttl,
                                                const Busy& answer,
                                                const std::string& message);

  // How the owner tokens of this protocol's holders end: see OwnerToken::fair_mark.
  virtual std::string_view owner_mark() const noexcept { return {}; }
};

}  // namespace interlock

#pragma GCC visibility pop
