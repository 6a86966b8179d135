// A lock that is held, while this object lives.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "interlock/lease.hpp"
#include "interlock/lock_protocol.hpp"

namespace interlock {

class Holding;

// Renewed in the background until it is released. Its const members may be used from any thread,
// the others from one at a time.
//
// A guard that outlives its Client is lost at once, for the reason `client_gone`: nobody renews it,
// its release is `invalid_argument`, and its lock ends with its ttl.
// In a child of fork(), _Fork() or clone() every guard is its parent's, and does nothing: its state
// is `lost`, for the reason `forked`, its release is `forked`, its destructor sends nothing, and
// nothing changes for the parent. A child that shares its parent's memory (vfork()) cannot be
// distinguished from it, and may call exec or _exit() only. A guard that was moved from holds
// nothing: its state is `lost` without a reason, its fencing token 0, its release
// `invalid_argument`; asking it for name, owner or ttl ends the process with a message.
class Guard {
 public:
  explicit Guard(std::shared_ptr<Holding> holding) : holding_(std::move(holding)) {}
  Guard(Guard&&) noexcept = default;
  // Releases what it held before.
  Guard& operator=(Guard&& other) noexcept;
  // Releases, unless that was done. Never throws, and always ends: see
  // ClientOptions::release_limit; on the client's own loop it does not block at all. What it could
  // not do it tells to the client's event sink, and the ttl ends the lock.
  ~Guard();

  const LockName& name() const noexcept;
  const OwnerToken& owner() const noexcept;
  // Give it to what the lock protects: a resource that refuses smaller numbers cannot be harmed by
  // a holder that was paused past its lease.
  FencingToken fencing() const noexcept;
  Ttl ttl() const noexcept;

  // What is certain now, by the local clock; never asks the store.
  LeaseState state() const noexcept;
  Duration remaining() const noexcept;
  bool valid_for(Duration work) const noexcept { return remaining() > work; }
  // The instant of `lost` as things stand; each renewal moves it on.
  TimePoint certain_until() const noexcept;

  // Stop is requested when the lock is lost, before the store can grant it to another unless it has
  // done so already; never by a release. Callbacks run on the client's loop: they must be short. In
  // a child of fork() this returns a token that is stopped already; a token from before the fork is
  // the parent's, and is not notified there.
  std::stop_token lost_token() const noexcept;
  // Why it was lost; none while it is held or after it was released.
  std::optional<LossReason> loss() const noexcept;

  // Ends the renewal and gives the lock up. A second call does nothing and says `not_holder`.
  // `indeterminate`, `unavailable`: it may stay held until its ttl ends. `invalid_argument`:
  // nothing was done: it was called on the client's loop, or see above. `forked`: see above.
  Result<ReleaseOutcome> release();
  // The same for coroutines on the client's loop, and `invalid_argument` elsewhere.
  Task<Result<ReleaseOutcome>> release_async();

 private:
  friend class AcquireResult;
  friend class Client;
  void let_go() noexcept;

  std::shared_ptr<Holding> holding_;
};

// What became of an acquire: held, busy, or failed.
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
  // The guard. If the lock is not held they throw LockFailure with `invalid_argument`.
  Guard& operator*() & { return held(); }
  Guard&& operator*() && { return std::move(held()); }
  Guard* operator->() { return &held(); }

  // Null unless that is what happened.
  const Busy* busy() const noexcept { return std::get_if<Busy>(&outcome_); }
  const Error* error() const noexcept { return std::get_if<Error>(&outcome_); }

  // For people: who holds it and for how long, or what failed. Empty if held.
  std::string why_not() const;

 private:
  Guard& held();

  std::variant<Guard, Busy, Error> outcome_;
};

}  // namespace interlock
