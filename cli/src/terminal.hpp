// The controlling terminal, which has one group of processes in the foreground at a time.
#pragma once

#include <sys/types.h>

namespace interlock::cli {

class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // There is one, and our group is in its foreground: whom we start may have it.
  bool ours() const noexcept;
  bool has(pid_t group) const noexcept;
  // Without effect if there is none. SIGTTOU must be blocked.
  void give_to(pid_t group) const noexcept;
  void take_back() const noexcept;

  // -1: there is none.
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace interlock::cli
