#pragma once

namespace interlock::detail {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}

// States what must be true, in every build: a lock that goes on after a broken invariant is worse
// than a process that ends.
#define INTERLOCK_ASSERT(condition) \
  (static_cast<bool>(condition)     \
       ? static_cast<void>(0)       \
       : ::interlock::detail::assertion_failed(#condition, __FILE__, __LINE__))
