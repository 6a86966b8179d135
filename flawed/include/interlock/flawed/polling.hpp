// How the clients of flawed locks wait: they ask again and again.
#pragma once

#include <optional>

#include "interlock/lock_protocol.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

class Polling {
 public:
  Polling() = default;
  explicit Polling(Duration between_tries) : pause(between_tries) {}

  Duration pause{0};             // between two tries; zero spins
  int attempts = 0;              // in all; 0: no limit
  std::optional<Duration> wait;  // in all; none: for ever
  // The wait is not measured: `pause` is taken off after each try, however long the try took.
  bool counts_down = false;
};

// Tries until the lock is held, an error comes, or `how` says that it is enough: then Busy. All
// that is pointed to outlives the task.
Task<Result<AcquireOutcome>> acquire_by_polling(
    LockProtocol* lock, TimeSource* time, LockName name, OwnerToken owner, Ttl ttl, Polling how);

}  // namespace interlock::flawed
