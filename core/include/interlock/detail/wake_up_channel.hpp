// Wake-up channels: the channels on which waiters in queues listen, one waiter at a time. No other
// client subscribes to a wake-up channel, so the number of its listeners says whether its owner
// listens.
#pragma once

#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

namespace interlock::detail {

// No channel of a lock begins like that: see is_reserved().
inline constexpr std::string_view wake_up_prefix = "interlock:ear:";

// Every place in a queue has a wake-up channel in it, so the wake-up channel has only as much of
// the token as keeps it unique.
inline Channel wake_up_channel_of(const OwnerToken& fresh) {
  constexpr std::size_t unique = 20;
  return Channel(std::string(wake_up_prefix) + fresh.text().substr(0, unique));
}

inline bool is_wake_up_channel(std::string_view channel) {
  return channel.starts_with(wake_up_prefix);
}

}  // namespace interlock::detail
