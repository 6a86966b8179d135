// The process of a holder, if it runs on this machine.
#pragma once

#include <optional>
#include <string>

#include "interlock/vocabulary.hpp"

namespace interlock::cli {

class HolderProcess {
 public:
  std::string user;     // its name, or its number
  std::string command;  // its command line, with blanks between the words
};

// None: the token names another machine or no process, or the process has ended, or is hidden.
// `held_for`: a process that began later than the lock was granted has only the same number. A
// process of another PID namespace (a container that shares the name of this machine) cannot be
// distinguished otherwise.
std::optional<HolderProcess> holder_process(const OwnerToken& owner,
                                            std::optional<milliseconds> held_for);

}  // namespace interlock::cli
