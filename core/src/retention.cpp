#include "interlock/retention.hpp"

#include <string>

#include "interlock/detail/assert.hpp"

namespace interlock {
namespace {

std::string out_of_range(milliseconds duration) {
  return "the retention is " + std::to_string(duration.count()) +
         " ms: it must be between one minute and 365 days";
}

}  // namespace

Result<Retention> Retention::parse(milliseconds after_the_last_lease) {
  if (after_the_last_lease < shortest || after_the_last_lease > longest) {
    return Error(Errc::invalid_argument, out_of_range(after_the_last_lease));
  }
  return Retention(after_the_last_lease);
}

Retention::Retention(milliseconds after_the_last_lease) : duration_(after_the_last_lease) {
  if (duration_ >= shortest && duration_ <= longest) return;
  detail::misused(out_of_range(duration_) +
                  ": what is not a constant goes through Retention::parse()");
}

}  // namespace interlock
