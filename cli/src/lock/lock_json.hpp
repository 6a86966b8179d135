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
};

nlohmann::ordered_json lock_json(const NamedLock& lock);

}  // namespace interlock::cli
