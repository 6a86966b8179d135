// Which build of the program this is.
#pragma once

#include <string>

#include "console/failure.hpp"

namespace interlock::cli {

// SHA-1 of the program's file, and of those of its shared libraries that are parts of interlock:
// two builds of different sources have different ones. 71 if a file cannot be read.
Fallible<std::string> digest_of_program();

}  // namespace interlock::cli
