// What the protocols with a queue say of a place in it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "interlock/lock_protocol.hpp"

namespace interlock::detail {

// In place of the channel of a waiter that has none.
inline std::string channel_or_none(const std::optional<Channel>& wake_up) {
  return wake_up ? wake_up->text() : "-";
}

// The queue separates the words of a line by white space.
inline bool has_white_space(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char byte) { return byte <= ' '; });
}

inline Task<Result<AcquireOutcome>> refuse_white_space(LockName name) {
  co_return Error(Errc::invalid_argument,
                  "claiming '" + name.text() + "': white space in an owner token or a channel");
}

}  // namespace interlock::detail
