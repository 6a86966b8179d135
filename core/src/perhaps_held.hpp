// How an error ends that leaves it unknown whether a lock is held.
#pragma once

#include <string>
#include <string_view>

namespace interlock {

inline constexpr std::string_view perhaps_held = ": it may be held until its ttl ends";

// For an error that tells another one and ends in the same way: once is enough.
inline std::string without_perhaps_held(std::string detail) {
  if (detail.ends_with(perhaps_held)) detail.resize(detail.size() - perhaps_held.size());
  return detail;
}

}  // namespace interlock
