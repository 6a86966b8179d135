#include "console/duration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interlock/detail/number.hpp"

namespace interlock::cli {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr milliseconds longest{days{365'000}};

struct Unit {
  std::string_view name;
  milliseconds length;
};
constexpr std::array<Unit, 5> units{{{"ms", milliseconds{1}},
                                     {"s", seconds{1}},
                                     {"m", minutes{1}},
                                     {"h", hours{1}},
                                     {"d", days{1}}}};

// The digits in front, which `text` loses.
std::string_view take_digits(std::string_view& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// The part of `unit` that these digits behind its point say; none: no whole milliseconds.
std::optional<milliseconds> fraction_of(milliseconds unit, std::string_view digits) {
  constexpr std::size_t most = 9;
  if (digits.size() > most) return std::nullopt;
  std::int64_t part = 0;
  std::int64_t whole = 1;
  for (const char digit : digits) {
    part = part * 10 + (digit - '0');
    whole *= 10;
  }
  if (part * unit.count() % whole != 0) return std::nullopt;
  return milliseconds{part * unit.count() / whole};
}

}  // namespace

ParsedDuration parse_duration(std::string_view text) {
  const std::string_view digits = take_digits(text);
  if (digits.empty()) return DurationFault::no_duration;
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) return DurationFault::no_duration;
  }
  if (text.empty()) {
    const bool is_zero =
        (std::string(digits) + std::string(fraction)).find_first_not_of('0') == std::string::npos;
    if (is_zero) return milliseconds{0};
    return DurationFault::no_unit;
  }
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& candidate) { return candidate.name == text; });
  if (unit == units.end()) return DurationFault::no_duration;
  const auto count = detail::parse_number<std::int64_t>(digits);
  if (!count || *count > longest / unit->length) return DurationFault::out_of_range;
  const auto part = fraction_of(unit->length, fraction);
  if (!part) return DurationFault::too_exact;
  return *count * unit->length + *part;
}

std::string readable(Duration duration) {
  const auto whole = std::chrono::duration_cast<milliseconds>(std::max(duration, Duration{0}));
  if (whole < milliseconds{10} && duration > Duration{0}) {
    return fmt::format("{:.1f} ms", static_cast<double>(duration.count()) / 1000.0);
  }
  if (whole < seconds{10} && whole % seconds{1} != milliseconds{0}) {
    if (whole < milliseconds{100}) return fmt::format("{} ms", whole.count());
    return fmt::format("{:.1f} s", static_cast<double>(whole.count()) / 1000.0);
  }
  const auto in = [&](auto unit) {
    return std::chrono::duration_cast<decltype(unit)>(whole).count();
  };
  if (whole < seconds{120}) return fmt::format("{} s", in(seconds{}));
  if (whole < hours{2}) return fmt::format("{} min", in(minutes{}));
  if (whole < days{2}) return fmt::format("{} h {} min", in(hours{}), in(minutes{}) % 60);
  return fmt::format("{} d {} h", in(days{}), in(hours{}) % 24);
}

}  // namespace interlock::cli
