// The controlling terminal, which has one group of processes in the foreground at a time.
//
// At a terminal the command stays in our group, which is the shell's job: keys and fg reach it, and
// the rest of a pipeline, as if we were not there. A group of its own would have to be given the
// foreground, and would take it from that rest.
#pragma once

#include <sys/types.h>

namespace interlock::cli {

class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // There is one.
  bool exists() const noexcept { return descriptor_ >= 0; }
  // Our group is in its foreground.
  bool ours() const noexcept;
  // Back to the foreground, if that is left to a group of which nobody lives any more: a shell that
  // is killed cannot return what it had taken. SIGTTOU must be blocked.
  void take_from_the_dead() const noexcept;

 private:
  int descriptor_;
};

}  // namespace interlock::cli
