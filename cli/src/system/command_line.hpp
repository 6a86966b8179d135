// The command line of this process, as ps and pkill see it.
#pragma once

#include <string_view>

namespace interlock::cli {

// Call it when the program begins, with the arguments of main().
void remember_command_line(int count, char** arguments) noexcept;

// For a process that was forked and does something else: writes `line` over the command line, which
// is cut if there was less room. So `pkill -f "interlock run"` does not also find this process.
void replace_command_line(std::string_view line) noexcept;

}  // namespace interlock::cli
