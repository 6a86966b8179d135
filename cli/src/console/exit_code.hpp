// What the program's exit codes mean. Numbers below 126 follow sysexits.h where it has a word for
// the case; 75 is what lckdo(1) and sendmail use for "try again later".
#pragma once

#include <string_view>

namespace interlock::cli {

enum ExitCode : int {
  success = 0,             // run: the command returned 0 and the lock was held throughout
  warnings = 1,            // check: usable, with warnings
  usage = 64,              // the command line is wrong; nothing was locked or run
  unreachable = 69,        // the store could not be reached before anything began
  internal = 70,           // a bug of this program
  operating_system = 71,   // no more processes, disk or server full, ...
  not_acquired = 75,       // somebody else holds the lock: try again later
  refused = 77,            // by the store's access control
  bad_configuration = 78,  // a wrong environment variable, or a store that is not safe for locks
  lost = 79,               // the lock was lost while the command ran, whatever it returned
  not_executable = 126,
  not_found = 127,
};

// What a code means wherever a command gives it, for help and manual; empty: only the command
// knows.
constexpr std::string_view meaning_of(ExitCode code) {
  switch (code) {
    case usage:
      return "the command line is wrong; nothing was locked or run";
    case unreachable:
      return "the store cannot be reached";
    case internal:
      return "internal error: please report it";
    case operating_system:
      return "the system refused something (processes, memory, disk), or the server is full";
    case not_acquired:
      return "the lock was not acquired: somebody else holds it";
    case refused:
      return "refused by the store's access control";
    case bad_configuration:
      return "a variable is wrong, or the store is not safe for locks";
    case lost:
      return "the lock was lost while it was held";
    case not_executable:
      return "the command is not executable";
    case not_found:
      return "the command, or its interpreter, was not found";
    default:
      return {};
  }
}

// As shells do.
constexpr int ended_by_signal(int signal) {
  return 128 + signal;
}

}  // namespace interlock::cli
