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

}  // namespace

ParsedDuration parse_duration(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits_end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = static_cast<std::size_t>(digits_end - text.begin());
  if (digits == 0) return DurationFault::no_duration;

  const std::string_view name = text.substr(digits);
  const auto given = detail::parse_number<std::int64_t>(text.substr(0, digits));
  const bool too_many = !given;
  const std::int64_t count = given.value_or(0);
  if (name.empty()) {
    if (!too_many && count == 0) return milliseconds{0};
    return DurationFault::no_unit;
  }
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& candidate) { return candidate.name == name; });
  if (unit == units.end()) return DurationFault::no_duration;
  if (too_many || count > longest / unit->length) return DurationFault::out_of_range;
  return count * unit->length;
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
