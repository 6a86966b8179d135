// Errors of the system, in words.
#pragma once

#include <string>

#include "interlock/error.hpp"

#pragma GCC visibility push(default)

namespace interlock::posix {

// The system's words for an error number, without a trailing period.
std::string system_text(int error_number);

// `unavailable`, as "WHAT: the system's words: what to do". The advice is added if descriptors,
// threads or memory have run out.
Error failure(const std::string& what, int error_number);

}  // namespace interlock::posix

#pragma GCC visibility pop
