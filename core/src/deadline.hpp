// Sums of instants and durations that do not overflow: a limit may have any length, and a clock
// that was set back may be negative.
#pragma once

#include <algorithm>

#include "interlock/vocabulary.hpp"

namespace interlock {

// TimePoint::max(), which means never, if the sum is beyond it.
inline TimePoint instant_after(TimePoint from, Duration length) {
  const bool beyond = from > TimePoint() && length >= TimePoint::max() - from;
  return beyond ? TimePoint::max() : from + length;
}

// 0 if the instant has passed; Duration::max() if it is farther than that, or never comes.
inline Duration time_until(TimePoint instant, TimePoint now) {
  if (instant <= now) return Duration::zero();
  const bool beyond = now < TimePoint() && instant >= TimePoint::max() + now.time_since_epoch();
  return beyond || instant == TimePoint::max() ? Duration::max() : instant - now;
}

}  // namespace interlock
