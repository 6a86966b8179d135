// Whether there is memory left, asked before it is needed: without exceptions there is no way back
// from an allocation that fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace interlock::sim {

inline bool has_memory_for(std::size_t bytes) {
  // Volatile, or the compiler sees that nothing is done with it.
  void* volatile tried = std::malloc(bytes);
  const bool there = tried != nullptr;
  std::free(tried);
  return there;
}

// `366 MiB`.
inline std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace interlock::sim
