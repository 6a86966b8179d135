// How much memory a search may take.
#pragma once

#include <cstdint>
#include <string>

#include "console/flags.hpp"

namespace interlock::cli {

// `400M`, `2G`, `1048576`: bytes. Else it fails, naming the example, with `usage`, or the code of a
// wrong environment.
Fallible<std::uint64_t> parse_memory(const Given& given, const char* example);

// The other way: the shortest word for as many bytes.
std::string memory_words(std::uint64_t bytes);

// Half of the memory that the machine, the process's cgroup and its limit of address space (`ulimit
// -v`) have left, so that the search ends before the memory does: growing tables need half as much
// again for a moment. A limit that cannot be read does not count.
std::uint64_t memory_share();

}  // namespace interlock::cli
