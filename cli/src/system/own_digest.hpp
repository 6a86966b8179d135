// Which build of the program this is.
#pragma once

#include <string>

#include "console/failure.hpp"

namespace interlock::cli {

// A digest of the program's file, and of those of its shared libraries that are parts of interlock:
// two builds of different sources have different ones. It is no protection against somebody who
// wants two files to have the same. 71 if a file cannot be read.
Fallible<std::string> digest_of_program();

}  // namespace interlock::cli
