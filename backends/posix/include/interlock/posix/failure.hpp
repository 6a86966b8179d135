// What the system refused, in words.
#pragma once

#include <string>

#include "interlock/error.hpp"

namespace interlock::posix {

// The system's words for an error number, without a trailing period.
std::string system_text(int error_number);

// `unavailable`, as "WHAT: the system's words: what to do about it", which is said of descriptors,
// threads and memory that have run out.
Error failure(const std::string& what, int error_number);

}  // namespace interlock::posix
