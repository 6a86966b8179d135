// Several locks at once, or none of them: in which order they are taken, and when they are given
// back. docs/adr/0012 says why.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "interlock/lock_protocol.hpp"
#include "interlock/task.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// How long a caller waits in a round with some locks of its set in hand (hold and wait). Twice as
// long after each round in which it had to give them back.
class LockSetPolicy {
 public:
  LockSetPolicy() = default;  // makes the class no aggregate: see vocabulary.hpp

  // Long enough for a competitor which has the awaited lock, and is refused one of ours, to give
  // its locks back: several round trips to the store.
  Duration first_hold_and_wait = milliseconds{50};
  // A caller that loses round after round waits up to so long in a round, in the queues of its
  // locks one after the other, with the locks before them in hand. It has its locks in the end if
  // these queues together are shorter than this.
  Duration longest_hold_and_wait = std::chrono::seconds{5};
};

// The lock of a set, counted from 0, for which the set was not taken.
class BusyInSet {
 public:
  BusyInSet(std::size_t number, Busy why) : at(number), busy(std::move(why)) {}

  std::size_t at;
  Busy busy;
};

// The locks that one caller wants, numbered in the order that all callers agree on, and those of
// them that it has. For one call of take_all(), on one thread.
class LockSet {
 public:
  virtual ~LockSet() = default;

  // Takes one lock, which it has not; none: taken. Waits no longer than `limit`, and never longer
  // than the caller may; without a limit, as long as the caller may.
  virtual Task<Result<std::optional<Busy>>> take(std::size_t at, std::optional<Duration> limit) = 0;
  // Releases all that it has.
  virtual Task<void> give_back() = 0;
  // One that it has and whose lease has ended; none: it holds all of them.
  virtual std::optional<std::size_t> lost() const = 0;
  virtual bool may_wait() const = 0;  // the caller, still
  virtual TimePoint now() const = 0;
};

// None: all locks are taken.
using TakenSet = Result<std::optional<BusyInSet>>;

// Takes all `count` locks, at least one, or none. If a lock is busy, it gives back what it has,
// waits for that lock with nothing in hand, and then takes the others. But if that lock comes after
// all that it has, it first waits a limited time for it with them in hand. `locks`
// outlives the task. Nothing is held after an error. Errors: those of LockSet::take; `unavailable`:
// one of the leases had ended before the last lock was taken, and the caller may not wait. Throws
// what LockSet::take throws; then the set may have some of its locks.
Task<TakenSet> take_all(LockSet& locks, std::size_t count, LockSetPolicy policy = {});

}  // namespace interlock

#pragma GCC visibility pop
