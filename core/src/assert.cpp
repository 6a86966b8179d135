#include "interlock/detail/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace interlock::detail {

void misused(std::string_view what) noexcept {
  std::fprintf(stderr, "interlock: misuse: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "interlock: broken invariant: %s (%s:%d): please report this\n", condition,
               file, line);
  std::abort();
}

}  // namespace interlock::detail
