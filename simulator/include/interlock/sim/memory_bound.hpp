// The text of a memory limit in the bounds of a verdict.
#pragma once

#include <cstdint>
#include <string>

namespace interlock::sim {

// `at most 400 MiB of memory`; a limit that is no whole number of MiB or KiB is in bytes, so that
// different limits have different texts. explore() adds it to the bounds of a verdict if this limit
// has ended the search; other verdicts do not depend on it. If the search has ended because no
// memory was left, the text names a limit that ends it at the same place.
std::string memory_bound(std::uint64_t bytes);

}  // namespace interlock::sim
