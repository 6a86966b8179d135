// Finds what was idle for a limit, without reading the clock at each use.
#pragma once

#include "interlock/vocabulary.hpp"

namespace interlock {

// Looks are idle_look_interval() apart. If idle_looks_until_closed of them in a row find an object
// idle, it was idle for the whole limit. It was idle for at most half as long again, because the
// first look may come right after its use.
inline constexpr int idle_looks_per_limit = 2;
inline constexpr int idle_looks_until_closed = idle_looks_per_limit + 1;

inline Duration idle_look_interval(Duration limit) {
  return limit / idle_looks_per_limit;
}

}  // namespace interlock
