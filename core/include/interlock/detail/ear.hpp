// Ears: the channels on which waiters in queues listen, one waiter at a time. No other client
// subscribes to an ear, so the number of its listeners says whether its owner listens.
#pragma once

#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

namespace interlock::detail {

// No channel of a lock begins like that: see is_reserved().
inline constexpr std::string_view ear_prefix = "interlock:ear:";

// Every place in a queue has an ear in it, so the ear has only as much of the token as keeps it
// unique.
inline Channel ear_of(const OwnerToken& fresh) {
  constexpr std::size_t unique = 20;
  return Channel(std::string(ear_prefix) + fresh.text().substr(0, unique));
}

inline bool is_ear(std::string_view channel) {
  return channel.starts_with(ear_prefix);
}

}  // namespace interlock::detail
