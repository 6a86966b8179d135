// When something was idle for a limit, without a look at the clock at each of its uses.
#pragma once

#include "interlock/vocabulary.hpp"

namespace interlock {

// Something that was found idle so many times in a row, at looks that are idle_look_interval()
// apart, has been idle for the whole limit, and for half as long again at most: the first look may
// come right after its use.
inline constexpr int idle_looks_per_limit = 2;
inline constexpr int idle_looks_until_closed = idle_looks_per_limit + 1;

inline Duration idle_look_interval(Duration limit) {
  return limit / idle_looks_per_limit;
}

}  // namespace interlock
