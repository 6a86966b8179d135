// Instants far away: a limit may be any length, and a clock that was set back may be negative.
#pragma once

#include <algorithm>

#include "interlock/vocabulary.hpp"

namespace interlock {

// TimePoint::max() if it lies beyond: never.
inline TimePoint instant_after(TimePoint from, Duration length) {
  const bool beyond = from > TimePoint() && length >= TimePoint::max() - from;
  return beyond ? TimePoint::max() : from + length;
}

// Nothing if it has passed; Duration::max() if it is as far as that, or never comes.
inline Duration time_until(TimePoint instant, TimePoint now) {
  if (instant <= now) return Duration::zero();
  const bool beyond = now < TimePoint() && instant >= TimePoint::max() + now.time_since_epoch();
  return beyond || instant == TimePoint::max() ? Duration::max() : instant - now;
}

}  // namespace interlock
