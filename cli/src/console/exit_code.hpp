// What the program's exit codes mean. Numbers below 126 follow sysexits.h where it has a word for
// the case; 75 is what lckdo(1) and sendmail use for "try again later".
#pragma once

namespace interlock::cli {

enum ExitCode : int {
  success = 0,             // run: the command returned 0 and the lock was held throughout
  warnings = 1,            // check: usable, with warnings
  usage = 64,              // the command line is wrong; nothing was contacted
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

// As shells do.
constexpr int ended_by_signal(int signal) {
  return 128 + signal;
}

}  // namespace interlock::cli
