// Starting a command in a process group of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "signals.hpp"
#include "standard_files.hpp"
#include "terminal.hpp"

namespace interlock::cli {

class CommandLine {
 public:
  std::vector<std::string> words;  // at least one
  // Added to our own environment.
  std::vector<std::pair<std::string, std::string>> environment;
};

// Starts it and gives its process id, which is its group's too. It has the terminal's foreground if
// we had it, the signals and standard files as our caller left them, and is killed if the thread
// that called this ends (what it has started itself is not: Linux has nothing for that).
// Fails with 127 (no such command), 126 (not executable) or 71; then nothing runs.
Outcome<pid_t> start(const CommandLine& command,
                     const Signals& signals,
                     const Terminal& terminal,
                     const StandardFiles& standard_files);

}  // namespace interlock::cli
