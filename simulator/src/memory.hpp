// Whether there is memory left. A search asks before it allocates, because without exceptions an
// allocation that fails ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace interlock::sim {

inline bool has_memory_for(std::size_t bytes) {
  // Volatile, or the compiler leaves out an allocation that nobody uses.
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
