// A lock as JSON says it: `status`, `top`, and a lock that was not acquired.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lock/inspect.hpp"

namespace interlock::cli {

class NamedLock {
 public:
  std::string name;
  LockView view;
  // Its holder has noted that the command has ended: the lock is kept until its time is over.
  bool command_has_ended = false;
};

nlohmann::ordered_json lock_json(const NamedLock& lock);

// Why a lock was not acquired: `"reason"` is `held`, `held_around_us` (this program runs as a
// command under the lock) or `quarantine`; and who holds it.
nlohmann::ordered_json busy_json(const Busy& busy);

}  // namespace interlock::cli
