// What the native halves of the program's scripts have in common.
#pragma once

#include <chrono>
#include <string>

#include "interlock/error.hpp"
#include "interlock/store/keyspace.hpp"

namespace interlock::cli {

// As Redis says it, and `more` behind it.
inline Error wrong_type(const std::string& more = {}) {
  return {Errc::rejected,
          "WRONGTYPE Operation against a key holding the wrong kind of value" + more};
}

inline milliseconds store_time(const Keyspace& keyspace) {
  return std::chrono::floor<milliseconds>(keyspace.now().time_since_epoch());
}

}  // namespace interlock::cli
