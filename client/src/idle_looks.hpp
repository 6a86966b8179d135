// Finds what was idle for a limit, without reading the clock at each use.
#pragma once

#include "interlock/vocabulary.hpp"

namespace interlock {

// An object that idle_looks_until_closed looks in a row, idle_look_interval() apart, have found
// idle was idle for the whole limit, and at most for half as long again: the first look may come
// right after its use.
inline constexpr int idle_looks_per_limit = 2;
inline constexpr int idle_looks_until_closed = idle_looks_per_limit + 1;

inline Duration idle_look_interval(Duration limit) {
  return limit / idle_looks_per_limit;
}

}  // namespace interlock
