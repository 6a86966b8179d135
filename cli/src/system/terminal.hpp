// The controlling terminal, which has one group of processes in the foreground at a time.
//
// At a terminal the command stays in our group, which is the shell's job: keys and fg reach the
// command and the rest of a pipeline as if this program were not there. A group of its own would
// need the foreground, and the rest of the pipeline would lose it.
#pragma once

#include <sys/types.h>

namespace interlock::cli {

class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // Whether there is one.
  bool exists() const noexcept { return descriptor_ >= 0; }
  // Whether our group is in its foreground.
  bool ours() const noexcept;
  // Brings our group back to the foreground if the foreground group has no living process: a shell
  // that is killed cannot give the foreground back. SIGTTOU must be blocked.
  void take_from_the_dead() const noexcept;

 private:
  int descriptor_;
};

}  // namespace interlock::cli
