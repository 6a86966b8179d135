// The fencing counter as the scripts of all locks read it.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "interlock/keyspace.hpp"

namespace interlock {

// Not more than Lua's numbers can count exactly.
constexpr std::int64_t largest_fencing = 9'007'199'254'740'991;

inline std::optional<std::int64_t> parse_decimal(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// What no grant can have written counts as lost: to count on from it would hand out a number that
// is no token, or one that does not grow.
inline std::optional<std::int64_t> parse_counter(const std::optional<Entry>& counter) {
  const auto value = counter ? parse_decimal(counter->value) : std::nullopt;
  if (!value || *value < 1 || *value > largest_fencing) return std::nullopt;
  if (std::to_string(*value) != counter->value) return std::nullopt;
  return value;
}

}  // namespace interlock
