// How a client waits, queues and hands over: what ClientOptions is made of.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// How a client waits. The defaults suit a network with round trips below some milliseconds. A
// Client accepts durations of 1 ms to 365 days, and any outage_limit that is not negative.
class WaitPolicy {
 public:
  // The pause between tries if no message will announce the release: the protocol has no channel,
  // or the holder is a foreign client. Each pause is drawn from [interval / 2, interval], so that
  // waiters do not all ask at the same time.
  Duration poll_interval = milliseconds{100};
  // A waiter that listens for the release asks at least this often whether the lock is still held,
  // because no message announces that a key was deleted by hand, flushed or evicted. This costs one
  // command, after a pause drawn from [interval / 2, interval].
  Duration recheck_interval = std::chrono::seconds{5};
  // Without a queue a release notifies every waiter. A waiter that has tried after one and found
  // the lock held again pauses after the next ones, so that many waiters do not all ask each time:
  // for a time drawn from [0, p], where p begins at 1 ms and doubles with each try up to this.
  Duration longest_pause_after_release = milliseconds{64};
  // How long an acquire keeps trying while the store is out of reach, counted from the first try
  // that failed. Each outage has the whole limit, at the acquire's first try as at any later one.
  // But an acquire never waits longer than its own limit says, and one with a wait of zero tries
  // once. The last pause is not shortened, so the acquire may end up to `backoff_longest` after the
  // limit. Zero: the first failure is returned at once. Duration::max(): the acquire keeps trying
  // for ever.
  Duration outage_limit = std::chrono::seconds{10};
  // First and longest pause between tries while the store is out of reach.
  Duration backoff_first = milliseconds{20};
  Duration backoff_longest = std::chrono::seconds{1};  // the pause doubles up to this
  // How many subscriptions of waiters in queues are kept for the next wait instead of being ended.
  std::size_t idle_wake_up_channels = 64;
  // False: pauses have their full length, and no random numbers are drawn (for the simulator).
  bool jitter = true;

  // `invalid_argument`: the first field that is out of its range, with value and range.
  std::optional<Error> wrong() const;
};

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

class HandOverPolicy {
 public:
  // How many sections may follow each other under one grant; each has a fencing token of its own. 1
  // to 1'000'000. One: nothing is handed over. While others queue at the store, a grant is handed
  // only to callers that were in the local queue when it came.
  std::int64_t sections = 48;
  // How long after the grant's answer the last of them may begin: 0 to 365 days. Other processes
  // wait for this long at most, and for one section. After that time the first in the queue asks
  // the store. Handing over gains little where sections are longer than this, because three
  // commands are short beside them.
  Duration within = std::chrono::milliseconds{50};
  // The last section also begins before this percentage of the grant's certain lifetime is over,
  // because the next caller has only the rest of it. 0 to `lease_percent_max`: a third, which is
  // when the first renewal falls due.
  std::int64_t lease_percent = 25;
  static constexpr std::int64_t lease_percent_max = 33;  // the greatest lease_percent

  // `invalid_argument`: the first field that is out of its range, with value and range.
  std::optional<Error> wrong() const;
};

}  // namespace interlock

#pragma GCC visibility pop
