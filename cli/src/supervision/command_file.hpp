// The files that a command's first word may mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/failure.hpp"

namespace interlock::cli {

// The word itself if it has a slash, else one in each folder of PATH, in order.
std::vector<std::string> files_named(const std::string& word);

// Whether the file cannot be a script, by the rule of shells: a NUL comes before the end of the
// first line. Safe between fork and exec.
bool is_binary(const char* path) noexcept;

// Why a command could not be started, from the errno of its exec and a look at the file: 127 (no
// such command, or its interpreter is missing), 126 (not executable) or 71.
Failure not_started(const std::string& word, int error);

// The same before anything is started, as far as a look at the files can tell; none: the command
// may start.
std::optional<Failure> why_not_startable(const std::string& word);

}  // namespace interlock::cli
