#include "interlock/detail/ranges.hpp"

namespace interlock::detail {
namespace {

std::string in_words(Duration duration) {
  constexpr Duration day = std::chrono::hours{24};
  if (duration == Duration::zero()) return "0";
  if (duration % day == Duration::zero()) return std::to_string(duration / day) + " days";
  const Duration::rep count = duration.count();
  if (count % 1000 == 0) return std::to_string(count / 1000) + " ms";
  return std::to_string(count) + " us";
}

}  // namespace

Ranges& Ranges::duration(const char* field, Duration value, Duration least, Duration most) {
  if (value < least || value > most) {
    const bool is_endless = most == Duration::max();
    refuse(field, in_words(value),
           in_words(least) + (is_endless ? " or more" : " to " + in_words(most)));
  }
  return *this;
}

Ranges& Ranges::duration(const char* field, milliseconds value, milliseconds least) {
  constexpr milliseconds most = std::chrono::duration_cast<milliseconds>(Duration::max());
  if (value >= -most && value <= most) return duration(field, Duration(value), Duration(least));
  refuse(field, std::to_string(value.count()) + " ms",
         in_words(least) + " to " + in_words(longest));
  return *this;
}

Ranges& Ranges::number(const char* field,
                       std::int64_t value,
                       std::int64_t least,
                       std::int64_t most) {
  if (value < least || value > most) {
    refuse(field, std::to_string(value), std::to_string(least) + " to " + std::to_string(most));
  }
  return *this;
}

Ranges& Ranges::count(const char* field, std::size_t value, std::size_t most) {
  if (value > most) refuse(field, std::to_string(value), "0 to " + std::to_string(most));
  return *this;
}

void Ranges::refuse(const char* field, const std::string& value, const std::string& range) {
  if (error_) return;
  error_ = Error(Errc::invalid_argument, std::string(class_) + "::" + field + " of " + value +
                                             " is out of range: choose " + range);
}

}  // namespace interlock::detail
