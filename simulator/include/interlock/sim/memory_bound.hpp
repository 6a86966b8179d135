// How a limit to memory stands in the bounds of a verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::sim {

// `at most 400 MiB of memory`; what is no whole number of MiB or KiB is said in bytes, so that
// different limits have different texts. explore() adds it to the bounds of a verdict whose search
// this limit has ended; another verdict does not rest on it. If the search has ended because there
// was no memory left, the bound is a limit that ends it there.
std::string memory_bound(std::uint64_t bytes);

// The limit in bytes that stands in these bounds; none: they have no such limit.
std::optional<std::uint64_t> memory_bound_in(std::string_view bounds);

}  // namespace interlock::sim
