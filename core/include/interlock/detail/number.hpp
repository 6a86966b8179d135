// Whole numbers in texts.
#pragma once

#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#pragma GCC visibility push(default)

namespace interlock::detail {

// Removes a number from the front of `rest` and returns it: decimal digits, after a minus if T has
// a sign. None, and `rest` unchanged, if no number is there or a T cannot hold it.
template <class T>
std::optional<T> take_number(std::string_view& rest) noexcept {
  T number = 0;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  return number;
}

// The number that is all of `text`. None if `text` is not a number, or the number is less than
// `least` or more than `most`.
template <class T>
std::optional<T> parse_number(std::string_view text,
                              T least = std::numeric_limits<T>::min(),
                              T most = std::numeric_limits<T>::max()) noexcept {
  const std::optional<T> number = take_number<T>(text);
  if (!number || !text.empty() || *number < least || *number > most) return std::nullopt;
  return number;
}

}  // namespace interlock::detail

#pragma GCC visibility pop
