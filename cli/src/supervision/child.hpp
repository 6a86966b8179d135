// Starting a command.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "system/cgroup.hpp"
#include "system/signals.hpp"
#include "system/standard_files.hpp"

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

// Starts the command in `group`, or in a group of its own if that is 0, with signals and standard
// files as our caller left them. The system kills it if the thread that called this ends. It runs
// in `cgroup`, if that is not null and the kernel can do so; else `cgroup` becomes null.
Start start(const CommandLine& command,
            const Signals& signals,
            pid_t group,
            std::unique_ptr<Cgroup>& cgroup,
            const StandardFiles& standard_files);

}  // namespace interlock::cli
