#include "interlock/detail/ranges.hpp"
#include "interlock/lock_client.hpp"

namespace interlock {

std::optional<Error> WaitPolicy::wrong() const {
  constexpr std::size_t most_channels = 1'000'000;
  return detail::Ranges("WaitPolicy")
      .duration("poll_interval", poll_interval, milliseconds{1})
      .duration("recheck_interval", recheck_interval, milliseconds{1})
      .duration("longest_pause_after_release", longest_pause_after_release, milliseconds{1})
      .duration("outage_limit", outage_limit, Duration::zero(), Duration::max())
      .duration("backoff_first", backoff_first, milliseconds{1})
      .duration("backoff_longest", backoff_longest, milliseconds{1})
      .count("idle_wake_up_channels", idle_wake_up_channels, most_channels)
      .error();
}

}  // namespace interlock
