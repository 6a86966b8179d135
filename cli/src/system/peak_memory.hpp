// How much memory this process has had at most.
#pragma once

#include <cstdint>

namespace interlock::cli {

// The peak begins anew. Where the kernel does not allow that, it goes on.
void restart_peak_memory();

// In bytes, since the beginning or the last restart; 0: the system does not tell.
std::uint64_t peak_memory();

}  // namespace interlock::cli
