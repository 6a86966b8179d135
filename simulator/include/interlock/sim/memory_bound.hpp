// How a limit to memory stands in the bounds of a verdict.
#pragma once

#include <cstdint>
#include <string>

namespace interlock::sim {

// `at most 400 MiB of memory`; what is no whole number of MiB or KiB is said in bytes, so that
// different limits have different texts. explore() adds it to the bounds of a verdict whose search
// this limit has ended; another verdict does not rest on it. If the search has ended because there
// was no memory left, the bound is a limit that ends it there.
std::string memory_bound(std::uint64_t bytes);

}  // namespace interlock::sim
