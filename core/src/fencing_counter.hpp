// Reads the fencing counter and the clock for the native halves of all locks' scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interlock/detail/number.hpp"
#include "interlock/store/keyspace.hpp"
#include "interlock/store/owner_scripts.hpp"

namespace interlock {

// Not more than Lua's numbers can count exactly.
constexpr std::int64_t largest_fencing = 9'007'199'254'740'991;

// A counter that no grant can have written counts as lost: counting on from it would give a number
// that is no token, or one that does not grow.
inline std::optional<std::int64_t> parse_counter(const std::optional<Entry>& counter) {
  if (!counter || !counter->is_string()) return std::nullopt;
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

// A lease of `ttl` begins anew. Its counter is kept for `kept`, the ttl and a retention, if less
// than half of that retention would follow the lease.
inline void keep_counter(Keyspace& keyspace, const Key& key, milliseconds ttl, milliseconds kept) {
  const milliseconds now = now_ms(keyspace);
  auto counter = keyspace.find(key);
  if (!counter || !counter->expiry || (*counter->expiry - now) * 2 >= ttl + kept) return;
  counter->expiry = now + kept;
  keyspace.put(key, std::move(*counter));
}

// How long a lock has been held whose grant had this token, by the store's clock; -1: unknown.
std::int64_t ms_since(const Keyspace& keyspace,
                      const Entry& holder,
                      std::optional<std::int64_t> granted);

inline Error wrong_type() {
  return {Errc::rejected, "WRONGTYPE Operation against a key holding the wrong kind of value"};
}

}  // namespace interlock
