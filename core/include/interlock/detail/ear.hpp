// The channels on which waiters in queues listen, one waiter at a time. Nobody else subscribes to
// one, so how many hear it says whether its owner does.
#pragma once

#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

namespace interlock::detail {

// No channel of a lock begins like that: see is_reserved().
inline constexpr std::string_view ear_prefix = "interlock:ear:";

// Every place in a queue holds one: no more of the token than keeps it unique.
inline Channel ear_of(const OwnerToken& fresh) {
  constexpr std::size_t unique = 20;
  return Channel(std::string(ear_prefix) + fresh.text().substr(0, unique));
}

inline bool is_ear(std::string_view channel) {
  return channel.starts_with(ear_prefix);
}

}  // namespace interlock::detail
