// The end of an error message that leaves it unknown whether a lock is held.
#pragma once

#include <string>
#include <string_view>

namespace interlock {

inline constexpr std::string_view perhaps_held = ": it may be held until its ttl ends";

// For an error that quotes another one with the same end, which should be there once.
inline std::string without_perhaps_held(std::string detail) {
  if (detail.ends_with(perhaps_held)) detail.resize(detail.size() - perhaps_held.size());
  return detail;
}

}  // namespace interlock
