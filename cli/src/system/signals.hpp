// Signals as events of a loop instead of interruptions; the command gets them as they were before.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <vector>

namespace interlock::cli {

// One signal that has come.
class Taken {
 public:
  int signal = 0;
  // Sent by the system: at a terminal, because of a key or because the terminal has changed or
  // gone. Then our whole group gets the signal.
  bool from_system = false;
  pid_t sender = 0;  // else
};

// Make one before the first thread: threads inherit its mask, so that no signal is delivered to
// another thread and lost. Signals that were ignored when the program began (nohup, `cmd &` in a
// script) stay ignored. One per process; not for several threads.
class Signals {
 public:
  // Throws std::system_error, if the system has no descriptor left for it.
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  // Gives everything back as it was.
  ~Signals();

  // Readable when take() has something to give.
  int descriptor() const noexcept { return descriptor_; }

  // The signals that came since the last call. Taken are all signals whose default action ends or
  // stops a process, and WINCH, CONT and CHLD; but not those of a fault (SEGV and its like), nor
  // PIPE, XFSZ, TTIN and TTOU.
  std::vector<Taken> take();

  // For the child, between fork and exec: mask and dispositions as the caller of this program left
  // them. Safe there: nothing but system calls.
  void restore() const noexcept;

 private:
  int descriptor_ = -1;
  sigset_t mask_before_{};
  struct sigaction pipe_before_ {};
  struct sigaction child_before_ {};
};

// True for INT, TERM, HUP, QUIT and the rarer signals that end a process, such as ALRM and XCPU:
// for each signal that Signals takes, except USR1, USR2, WINCH, TSTP, CONT and CHLD.
bool asks_to_end(int signal);

// For commands that start no process: makes a write to a reader or store that has gone an error,
// instead of a signal that ends us.
void ignore_broken_pipes();

// Makes a write beyond the limit on file sizes (ulimit -f) an error, instead of a signal that ends
// us. Call it once, when the program begins.
void ignore_file_size_signal();

// For the child, between fork and exec: as the caller of this program left it. Safe there.
void restore_file_size_signal() noexcept;

// Its name without SIG: TERM. "signal 99" if it has none.
const char* signal_name(int signal);

// `TERM`, `SIGTERM`, `term` or `15`; 0 if it is none.
int parse_signal(const char* text);

}  // namespace interlock::cli
