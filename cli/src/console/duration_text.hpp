// Durations as people write and read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

namespace interlock::cli {

enum class DurationFault {
  no_unit,       // a bare number: 30 of what?
  no_duration,   // anything else
  out_of_range,  // more than a thousand years
  too_exact,     // no whole milliseconds
};

class ParsedDuration {
 public:
  ParsedDuration(milliseconds is) : value(is) {}   // NOLINT(google-explicit-constructor)
  ParsedDuration(DurationFault is) : fault(is) {}  // NOLINT(google-explicit-constructor)
  std::optional<milliseconds> value;
  DurationFault fault = DurationFault::no_duration;  // counts if there is no value
};

// `500ms`, `0.5s`, `30s`, `5m`, `2h`, `1d`, and `0`, which is the same in every unit.
ParsedDuration parse_duration(std::string_view text);

// For messages, as exact as a reader wants it: 0.3 s, 41 s, 12 min, 3 h 5 min, 2 d 4 h.
std::string readable(Duration duration);

}  // namespace interlock::cli
