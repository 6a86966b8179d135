// Checks options against their ranges, and makes the error for a value that is outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock::detail {

// Checks the fields of one class of options against their ranges, ends included; keeps the error of
// the first field that is outside.
class Ranges {
 public:
  // The longest wait or ttl: sums of it and instants of a clock stay far from overflow.
  static constexpr Duration longest{Ttl::longest};

  explicit Ranges(const char* of_class) : class_(of_class) {}

  Ranges& duration(const char* field, Duration value, Duration least, Duration most = longest);
  // Up to `longest`. Any number of milliseconds may be given: as a Duration many would overflow.
  Ranges& duration(const char* field, milliseconds value, milliseconds least);
  Ranges& number(const char* field, std::int64_t value, std::int64_t least, std::int64_t most);
  Ranges& count(const char* field, std::size_t value, std::size_t most);

  // `invalid_argument`, as "CLASS::FIELD of VALUE is out of range: choose LEAST to MOST".
  const std::optional<Error>& error() const noexcept { return error_; }

 private:
  void refuse(const char* field, const std::string& value, const std::string& range);

  const char* class_;
  std::optional<Error> error_;
};

}  // namespace interlock::detail

#pragma GCC visibility pop
