// Standard input of a program that reads it for its end alone.
#pragma once

#include "system/terminal.hpp"

namespace interlock::cli {

class StandardInput {
 public:
  // To poll, until the next call. -1: not now, because in the background of a terminal a read from
  // it would stop this process.
  int descriptor() const;
  // Reads what is there. True: nothing follows. Call it when the descriptor is readable.
  static bool has_ended();
  // Whether nothing can come from it any more, before this program has read: it is closed,
  // /dev/null, an empty file, a pipe that nobody writes to. It does not wait.
  static bool has_ended_already();

 private:
  Terminal terminal_;
};

}  // namespace interlock::cli
