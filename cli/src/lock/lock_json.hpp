// A lock as JSON says it, for `status` and `top`.
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

}  // namespace interlock::cli
