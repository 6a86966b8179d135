// A Guard holds a lock while it lives.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "interlock/lease.hpp"
#include "interlock/lock_protocol.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class ActiveLease;

// Holds a lock while it lives. The client renews the lease in the background until the guard
// releases it. Any thread may call the const members; one thread at a time the others.
//
// A guard that outlives its Client is lost when ~Client returns, for the reason `client_gone`: the
// lease is not renewed, release() answers `invalid_argument`, and the lock ends with its ttl.
// In a child of fork(), _Fork() or clone() every guard is the parent's, and does nothing: its state
// is `lost`, for the reason `forked`, release() answers `forked`, the destructor sends nothing, and
// nothing changes for the parent. A child that shares its parent's memory (vfork()) cannot be
// distinguished from it, and may call exec or _exit() only. A moved-from guard holds nothing: its
// state is `lost` without a reason, its fencing token is 0, its lost_token() has no state, and
// release() answers `invalid_argument`; asking it for name, owner or ttl ends the process with a
// message.
class Guard {
 public:
  explicit Guard(std::shared_ptr<ActiveLease> held) : held_(std::move(held)) {}
  Guard(Guard&& other) noexcept
      : held_(std::move(other.held_)), has_left_(other.has_left_.exchange(false)) {}
  // Releases what it held before.
  Guard& operator=(Guard&& other) noexcept;
  // As release(), unless it was released before. Never throws. On Redis it sends the release
  // and does not wait for the answer, so that another client, or another thread of this one, may
  // still find the lock held for the time of one message; call release() where that matters. The
  // client's event sink gets the outcome of the release: from the next call that uses the
  // connection, on its thread, or else from the client's loop within a second. A release that fails
  // is repeated, as one by release(). The destructor waits only if the release before it, on
  // the same connection, has no answer yet, and no longer than the store's limit for a command.
  // Other stores answer at once. The guard of a lock that a task or a callback has acquired
  // (acquire_async(), acquire_then()) never waits, on whichever thread it ends: the client's loop
  // releases it.
  ~Guard();

  const LockName& name() const noexcept;     // of the lock
  const OwnerToken& owner() const noexcept;  // what the store has as the holder
  // Give it to the resource that the lock protects: if the resource refuses smaller numbers, a
  // holder that was paused past its lease cannot harm it.
  FencingToken fencing() const noexcept;
  Ttl ttl() const noexcept;  // how long the store keeps the lock without a renewal

  // What is certain now, by the local clock. These never ask the store. After a release, also one
  // that failed: `lost`, zero and false.
  LeaseState state() const noexcept;
  Duration remaining() const noexcept;
  // A negative time counts as zero.
  bool valid_for(Duration work) const noexcept {
    return remaining() > (work > Duration::zero() ? work : Duration::zero());
  }
  // When the lease will be lost unless it is renewed; each renewal moves this instant on.
  TimePoint certain_until() const noexcept;

  // A token on which stop is requested when the lock is lost: before the store can grant the lock
  // to another client, unless the store has done so already. A release requests no stop. Callbacks
  // run on the client's loop: they must be short. In a child of fork() it returns a stopped token;
  // a token from before the fork is the parent's, and is not notified. Throws std::bad_alloc.
  std::stop_token lost_token() const;
  // Why the lock was lost. None while it is held, and none if it was released before it could be
  // lost. It may be none for a moment after state() has become `lost`: until the client's loop has
  // noticed that the time is over.
  std::optional<LossReason> loss() const noexcept;

  // Ends the renewal and releases the lock, or leaves it held as LockOptions::at_least says. A
  // second call does nothing: `not_holder`. Memory that runs out: see Client. `indeterminate`,
  // `unavailable`: the store did not answer, and the lock may stay held until its ttl ends.
  // `invalid_argument`: called on the client's loop, or on a guard that was moved from; nothing was
  // done. `forked`: see above.
  Result<ReleaseOutcome> release();
  // The same for coroutines on the client's loop; `invalid_argument` if called elsewhere.
  Task<Result<ReleaseOutcome>> release_async();
  // Another guard of the same grant: for a callee, or another thread, that is to hold the lock for
  // as long as it needs it, without knowing whether its caller does. Only the last of these guards
  // releases the lock. release() of another one ends that guard alone, sends nothing, and answers
  // `released`, or `not_holder` after a loss. All of them have the same lease, owner and fencing
  // token, a loss ends all of them, and waive_at_least() of one holds for all. loss() and
  // lost_token() of a guard that has ended tell a loss that comes while another guard still holds
  // the lock, too. What two threads do under two guards at the same time is theirs to order. A
  // guard that was released or moved from gives one that is as a moved-from one. There is no
  // reentrance by thread: see docs/kinds-of-locks.md.
  Guard share() const noexcept;
  // The release that follows frees the lock, even if the time of LockOptions::at_least has not
  // passed: for a section that could not begin its work, so that another may do it.
  void waive_at_least() noexcept;

 private:
  friend class AcquireResult;
  friend class Client;
  friend class Election;
  friend class Mutex;
  friend class WantedLocks;
  void let_go() noexcept;
  bool leaves_it_to_others() noexcept;

  std::shared_ptr<ActiveLease> held_;
  // It has left the lock to other guards of the grant. Read by the const members of any thread.
  std::atomic<bool> has_left_ = false;
};

// The result of an acquire: held, busy, or failed. A moved-from result that was held is false.
class [[nodiscard]] AcquireResult {
 public:
  AcquireResult(Guard guard)  // NOLINT(google-explicit-constructor)
      : outcome_(std::move(guard)) {}
  AcquireResult(Busy busy)  // NOLINT(google-explicit-constructor)
      : outcome_(std::move(busy)) {}
  AcquireResult(Error error)  // NOLINT(google-explicit-constructor)
      : outcome_(std::move(error)) {}

  // True: held. False also when the guard was moved out of it.
  explicit operator bool() const noexcept;
  // The guard. If the lock is not held, these throw LockFailure with `invalid_argument`.
  Guard& operator*() & { return held(); }
  Guard&& operator*() && { return std::move(held()); }
  Guard* operator->() { return &held(); }

  // busy(): the client that holds the lock instead. error(): why the acquire failed. Null if the
  // result is another one.
  const Busy* busy() const noexcept { return std::get_if<Busy>(&outcome_); }
  const Error* error() const noexcept { return std::get_if<Error>(&outcome_); }

  // For people: who holds the lock and since when, or what failed. Empty if held.
  std::string why_not() const;

 private:
  Guard& held();

  std::variant<Guard, Busy, Error> outcome_;
};

}  // namespace interlock

#pragma GCC visibility pop
