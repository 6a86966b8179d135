// Starting a command.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cgroup.hpp"
#include "signals.hpp"
#include "standard_files.hpp"

namespace interlock::cli {

class CommandLine {
 public:
  std::vector<std::string> words;  // at least one
  // Added to our own environment.
  std::vector<std::pair<std::string, std::string>> environment;
};

class Start {
 public:
  pid_t pid = 0;
  int error = 0;  // errno; then nothing runs
};

// Starts it in `group`, or in one of its own if that is 0, with signals and standard files as our
// caller left them. It is killed if the thread that called this ends. In `cgroup`, if there is one
// and the kernel can; else the cgroup is given up.
Start start(const CommandLine& command,
            const Signals& signals,
            pid_t group,
            std::unique_ptr<Cgroup>& cgroup,
            const StandardFiles& standard_files);

}  // namespace interlock::cli
