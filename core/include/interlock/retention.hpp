// For how long a store keeps what a lock leaves behind.
#pragma once

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// A lock leaves its fencing counter in the store, and a queue if all waiters in it were killed.
// The counter ends half of this time to all of it after the ttl of the last lease; the queue ends
// this time to twice as long after its last place. Without a counter the next fencing token is the
// store's clock, which is greater unless it was set back. So choose a retention that is longer than
// all set-backs of the clock together within that time.
class Retention {
 public:
  static constexpr milliseconds shortest{std::chrono::minutes{1}};      // a minute
  static constexpr milliseconds longest{std::chrono::hours{24 * 365}};  // 365 days

  // One hour.
  Retention() = default;
  // A value outside [shortest, longest] ends the process with a message.
  explicit Retention(milliseconds after_the_last_lease);
  // `invalid_argument`: outside [shortest, longest].
  static Result<Retention> parse(milliseconds after_the_last_lease);

  milliseconds duration() const noexcept { return duration_; }  // as it was given
  // For how long the store keeps the counter from a request with this ttl on.
  milliseconds with(milliseconds ttl) const noexcept { return ttl + duration_; }

  friend bool operator==(const Retention&, const Retention&) = default;

 private:
  milliseconds duration_{std::chrono::hours{1}};
};

}  // namespace interlock

#pragma GCC visibility pop
