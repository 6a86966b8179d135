#pragma once

#include <string_view>

#pragma GCC visibility push(default)

namespace interlock::detail {

// Ends the process with the line "interlock: misuse: WHAT". For a mistake of the caller that cannot
// be reported in another way: there is no result, no exception and no event sink. `what` reads
// "what was done: why that cannot be: what to do".
[[noreturn]] void misused(std::string_view what) noexcept;

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace interlock::detail

// Checks an invariant, in every build: a lock that goes on after a broken invariant is worse than a
// process that ends.
#define INTERLOCK_ASSERT(condition) \
  (static_cast<bool>(condition)     \
       ? static_cast<void>(0)       \
       : ::interlock::detail::assertion_failed(#condition, __FILE__, __LINE__))

#pragma GCC visibility pop
