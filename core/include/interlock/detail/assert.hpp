#pragma once

#include <string_view>

namespace interlock::detail {

// Ends the process with the line "interlock: misuse: WHAT". For a mistake of the caller's that can
// be told in no other way: no result, no exception, nobody to hear an event. `what` reads "what was
// done: why that cannot be: what to do".
[[noreturn]] void misused(std::string_view what) noexcept;

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace interlock::detail

// States what must be true, in every build: a lock that goes on after a broken invariant is worse
// than a process that ends.
#define INTERLOCK_ASSERT(condition) \
  (static_cast<bool>(condition)     \
       ? static_cast<void>(0)       \
       : ::interlock::detail::assertion_failed(#condition, __FILE__, __LINE__))
