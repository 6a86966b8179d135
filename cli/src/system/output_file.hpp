// --output, --export: an answer for a file.
#pragma once

#include <string>

namespace interlock::cli {

// Writes all of `text` to the file, or nothing; to standard output if it is named `-`. Returns the
// exit code: as answer(), or 71 if the file could not be written, which a message says.
int write_output(const std::string& file, const std::string& text);

}  // namespace interlock::cli
