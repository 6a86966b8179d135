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

// Renewed in the background until it is released. Must not outlive its Client. Its const members
// may be used from any thread, the others from one at a time.
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
  // done so already; never by a release. Callbacks run on the client's loop: they must be short.
  std::stop_token lost_token() const noexcept;
  // Why it was lost; none while it is held or after it was released.
  std::optional<LossReason> loss() const noexcept;

  // Ends the renewal and gives the lock up. A second call does nothing and says `not_holder`.
  // `indeterminate`, `unavailable`: it may stay held until its ttl ends. Not on the client's loop.
  Result<ReleaseOutcome> release();
  // The same for coroutines on the client's loop.
  Task<Result<ReleaseOutcome>> release_async();

 private:
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

  // True: held. Only then may the guard be used.
  explicit operator bool() const noexcept { return std::holds_alternative<Guard>(outcome_); }
  Guard& operator*() & { return std::get<Guard>(outcome_); }
  Guard&& operator*() && { return std::get<Guard>(std::move(outcome_)); }
  Guard* operator->() { return &std::get<Guard>(outcome_); }

  // Null unless that is what happened.
  const Busy* busy() const noexcept { return std::get_if<Busy>(&outcome_); }
  const Error* error() const noexcept { return std::get_if<Error>(&outcome_); }

  // For people: who holds it and for how long, or what failed. Empty if held.
  std::string why_not() const;

 private:
  std::variant<Guard, Busy, Error> outcome_;
};

}  // namespace interlock
