// The watcher of a command: the process between the program and its command, which ends all that
// the command has started when the program is killed or the lease is over.
#pragma once

#include <sys/types.h>

#include <string>

#include "supervision/child.hpp"
#include "system/signals.hpp"
#include "system/standard_files.hpp"

namespace interlock::cli {

class WatchedCommand {
 public:
  std::string lock;  // for messages
  CommandLine command;
  StandardFiles standard_files{};
  // The command's process group; 0: one of its own.
  pid_t group = 0;
  // Processes that the command leaves behind may run on, so no control group may end them with us.
  bool may_stay = false;
};

// Runs the watcher until the command and everything that it has started has ended, or the program
// tells it to let go. `signals` are those of the program, inherited.
//
// The watcher is the parent of the command and its subreaper: processes that lose their parent
// become its children, with a session of their own or not, so that none can hide from it. When the
// channel ends, the program has gone, and the watcher kills everything at once.
void watch_command(int channel, WatchedCommand command, Signals& signals);

}  // namespace interlock::cli
