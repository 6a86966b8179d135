// A GuardSet holds several locks while it lives: what Client::acquire_all gives.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "interlock/guard.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// The guards of all locks of a set, in the order of their names. Each lock has a lease, an owner
// and a fencing token of its own. Any thread may call the const members; one thread at a time the
// others. After a fork(), and if it outlives its client, a set is as its guards are. A moved-from
// set is empty: it has no guards, its state is `lost`, its lost_token() has no state, and release()
// answers `invalid_argument`. To share a lock of the set, or all: Guard::share() of its guards.
class GuardSet {
 public:
  // `guards`: sorted by name, each name once, all of one client. For Client::acquire_all.
  explicit GuardSet(std::vector<Guard> guards);
  GuardSet(GuardSet&& other) noexcept;
  // Releases what it held before.
  GuardSet& operator=(GuardSet&& other) noexcept;
  // As the destructors of its guards, the last one first.
  ~GuardSet();

  std::size_t size() const noexcept { return guards_.size(); }
  const Guard& operator[](std::size_t at) const { return guards_[at]; }
  std::vector<Guard>::const_iterator begin() const noexcept { return guards_.begin(); }
  std::vector<Guard>::const_iterator end() const noexcept { return guards_.end(); }
  // The guard of this lock, for its fencing token. Null: the set has no such lock.
  const Guard* find(std::string_view name) const noexcept;

  // The set is as its worst lock, and lasts as long as the first lease that ends. See Guard.
  LeaseState state() const noexcept;
  Duration remaining() const noexcept;
  // A negative time counts as zero.
  bool valid_for(Duration work) const noexcept {
    return remaining() > (work > Duration::zero() ? work : Duration::zero());
  }
  TimePoint certain_until() const noexcept;

  // A token on which stop is requested when the first of the locks is lost; see Guard::lost_token.
  // The others stay held until they are released. After the end of the set it is not notified.
  // Throws std::bad_alloc.
  std::stop_token lost_token() const;
  // The first guard, in the order of names, that is lost, by Guard::loss(). Null: none.
  const Guard* lost() const noexcept;

  // Releases all of them, the last one first; after an error, too. The result is the first error,
  // as of Guard::release; else `not_holder` if at least one was not held any more.
  Result<ReleaseOutcome> release();
  // After a release: the first guard, in the order of names, that was found not to be held any
  // more. Null: none.
  const Guard* found_gone() const noexcept {
    return found_gone_ ? &guards_[*found_gone_] : nullptr;
  }
  // The same for coroutines on the client's loop; `invalid_argument` if called elsewhere.
  Task<Result<ReleaseOutcome>> release_async();
  // Guard::waive_at_least of each.
  void waive_at_least() noexcept;

 private:
  class Losses;
  void let_go() noexcept;

  std::vector<Guard> guards_;
  std::unique_ptr<Losses> losses_;
  std::optional<std::size_t> found_gone_;
};

// The result of an acquire of several locks: all held, or one was busy, or failed; then none of
// them is held. A moved-from result that was held is false.
class [[nodiscard]] AcquireAllResult {
 public:
  // The lock that was busy when the wait ended.
  class BusyLock {
   public:
    BusyLock(LockName lock, Busy why) : name(std::move(lock)), busy(std::move(why)) {}
    LockName name;  // of that lock
    Busy busy;      // who has it
  };

  AcquireAllResult(GuardSet guards)  // NOLINT(google-explicit-constructor)
      : outcome_(std::move(guards)) {}
  AcquireAllResult(BusyLock busy)  // NOLINT(google-explicit-constructor)
      : outcome_(std::move(busy)) {}
  AcquireAllResult(Error error)  // NOLINT(google-explicit-constructor)
      : outcome_(std::move(error)) {}

  // True: all are held. False also when the set was moved out of it.
  explicit operator bool() const noexcept;
  // The set. If it is not held, these throw LockFailure with `invalid_argument`.
  GuardSet& operator*() & { return held(); }
  GuardSet&& operator*() && { return std::move(held()); }
  GuardSet* operator->() { return &held(); }

  // Null if the result is another one.
  const BusyLock* busy() const noexcept { return std::get_if<BusyLock>(&outcome_); }
  const Error* error() const noexcept { return std::get_if<Error>(&outcome_); }

  // For people: which lock is busy, who holds it and since when, or what failed. Empty if held.
  std::string why_not() const;

 private:
  GuardSet& held();

  std::variant<GuardSet, BusyLock, Error> outcome_;
};

}  // namespace interlock

#pragma GCC visibility pop
