// Reads the fencing counter and the clock for the native halves of all locks' scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interlock/detail/number.hpp"
#include "interlock/store/keyspace.hpp"
#include "interlock/store/owner_scripts.hpp"

namespace interlock {

// A counter expires this time after the last grant: two days, or much longer with a long ttl. There
// are only two fixed spans, so that the remaining time tells when the grant was.
constexpr milliseconds kept_briefly{std::chrono::hours{24 * 2}};
constexpr milliseconds kept_long{std::chrono::hours{24 * 400}};
constexpr milliseconds longest_brief_ttl{std::chrono::hours{24}};

inline milliseconds kept_for(milliseconds ttl) {
  return ttl <= longest_brief_ttl ? kept_briefly : kept_long;
}

// Not more than Lua's numbers can count exactly.
constexpr std::int64_t largest_fencing = 9'007'199'254'740'991;

// A counter that no grant can have written counts as lost: counting on from it would give a number
// that is no token, or one that does not grow.
inline std::optional<std::int64_t> parse_counter(const std::optional<Entry>& counter) {
  if (!counter) return std::nullopt;
  const auto value = detail::parse_number<std::int64_t>(counter->value, 1, largest_fencing);
  if (!value) return std::nullopt;
  if (std::to_string(*value) != counter->value) return std::nullopt;
  return value;
}

// For arguments that the library itself has written, which are always numbers.
inline milliseconds parse_ms(const std::string& text) {
  return milliseconds{*detail::parse_number<std::int64_t>(text)};
}

inline milliseconds now_ms(const Keyspace& keyspace) {
  return std::chrono::floor<milliseconds>(keyspace.now().time_since_epoch());
}

// Like Redis' PTTL: -1 for a key without expiry.
inline std::int64_t remaining_ms(const Keyspace& keyspace, const Entry& entry) {
  return entry.expiry ? (*entry.expiry - now_ms(keyspace)).count() : -1;
}

// How long the lock has been held, from the remaining time of its counter; -1: unknown, as with a
// foreign holder, which counts nothing.
inline std::int64_t held_ms(const Keyspace& keyspace,
                            const Entry& holder,
                            const std::optional<Entry>& counter) {
  if (!holder.value.starts_with(OwnerToken::mark)) return -1;
  std::optional<milliseconds> left;
  if (counter && counter->expiry) left = *counter->expiry - now_ms(keyspace);
  const auto since = held_for(left);
  return since ? since->count() : -1;
}

inline Error wrong_type() {
  return {Errc::rejected, "WRONGTYPE Operation against a key holding the wrong kind of value"};
}

}  // namespace interlock
