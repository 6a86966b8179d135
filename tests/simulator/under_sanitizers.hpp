// Whether this is built with the address sanitizer, under which a search takes some thirty
// times as long.
#pragma once

namespace interlock::sim {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_sanitizers = true;
#else
inline constexpr bool under_sanitizers = false;
#endif

}  // namespace interlock::sim
