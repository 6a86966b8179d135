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

// Exactly: `400 MiB`, `1500 KiB`, `1 byte`.
inline std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kibi = 1024;
  if (bytes > 0 && bytes % (kibi * kibi) == 0) return std::to_string(bytes / kibi / kibi) + " MiB";
  if (bytes > 0 && bytes % kibi == 0) return std::to_string(bytes / kibi) + " KiB";
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// About: `366 MiB`, `366 KiB`.
inline std::string about(std::uint64_t bytes) {
  constexpr std::uint64_t mebi = 1 << 20;
  return size_text(bytes < mebi ? (bytes / 1024 + 1) * 1024 : bytes / mebi * mebi);
}

}  // namespace interlock::sim
