#include "embedded.hpp"

// The linker's own way to take a file in. INTERLOCK_PRELOAD_FILE is set by CMake.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "interlock_preload_begin:\n"
    ".incbin \"" INTERLOCK_PRELOAD_FILE
    "\"\n"
    "interlock_preload_end:\n"
    ".popsection\n");

extern "C" {
extern const char interlock_preload_begin[];  // NOLINT(*-avoid-c-arrays)
extern const char interlock_preload_end[];    // NOLINT(*-avoid-c-arrays)
}

namespace interlock::harness {

std::string_view preload_library() {
  return {interlock_preload_begin,
          static_cast<std::size_t>(interlock_preload_end - interlock_preload_begin)};
}

}  // namespace interlock::harness
