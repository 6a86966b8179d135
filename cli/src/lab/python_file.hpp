// The file that a command of Python names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/failure.hpp"

namespace interlock::cli {

// `usage`: the command is `python`, `python3` or the like, perhaps with options, and the file that
// it is to run cannot be read. None of any other command.
std::optional<Failure> why_no_python_file(const std::vector<std::string>& command);

}  // namespace interlock::cli
