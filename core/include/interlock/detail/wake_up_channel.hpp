// Wake-up channels: the channels on which waiters in queues listen, one waiter at a time. No other
// client subscribes to a wake-up channel, so the number of its listeners says whether its owner
// listens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock::detail {

// No channel of a lock begins like that: see is_reserved().
inline constexpr std::string_view wake_up_prefix = "interlock:ear:";

// Every place in a queue has a wake-up channel in it, so the wake-up channel has only as much of
// the token as keeps it unique.
inline Channel wake_up_channel_of(const OwnerToken& fresh) {
  constexpr std::size_t unique = 20;
  return Channel(std::string(wake_up_prefix) + fresh.text().substr(0, unique));
}

// How the token of a caller that may keep its grants, and listens on this wake-up channel, ends:
// before the mark of its protocol.
inline std::string keep_mark_with(const Channel& recalled_on) {
  return std::string(OwnerToken::keep_mark) + recalled_on.text().substr(wake_up_prefix.size());
}

// The wake-up channel in the token of a holder that may keep the lock; none: it does not. Lua does
// the same: lua/parts/queue_claim_one.lua.
inline std::optional<Channel> recall_channel_of(std::string_view holder) {
  if (!holder.ends_with(OwnerToken::fair_mark)) return std::nullopt;
  holder.remove_suffix(OwnerToken::fair_mark.size());
  for (auto at = holder.find(OwnerToken::keep_mark); at != std::string_view::npos;
       at = holder.find(OwnerToken::keep_mark, at + 1)) {
    const std::string_view ear = holder.substr(at + OwnerToken::keep_mark.size());
    const bool is_word = ear.find_first_of(" \t\n\v\f\r") == std::string_view::npos;
    if (is_word && !ear.empty()) return Channel(std::string(wake_up_prefix).append(ear));
  }
  return std::nullopt;
}

inline bool is_wake_up_channel(std::string_view channel) {
  return channel.starts_with(wake_up_prefix);
}

}  // namespace interlock::detail

#pragma GCC visibility pop
