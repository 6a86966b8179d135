// Watching over a running command and the lock that it needs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "exit_code.hpp"
#include "interlock/vocabulary.hpp"
#include "loss_rule.hpp"
#include "signals.hpp"
#include "terminal.hpp"

namespace interlock::cli {

// All that supervision knows of a lock: the seam at which tests put locks that are lost on purpose.
class LeaseView {
 public:
  std::function<TimePoint()> now;
  std::function<TimePoint()> certain_until;  // as far as renewed
  // Not merely overdue: that is for certain_until() to say.
  std::function<bool()> store_says_lost;
  int woken = -1;  // readable once store_says_lost() may have changed
};

class Ending {
 public:
  int status = internal << 8;  // as from waitpid
  std::optional<TimePoint> lost_since;
  std::optional<int> signal_for_loss;  // the last that was sent for that reason
  TimePoint ended{};
  bool had_terminal = false;  // when it ended

  bool signalled() const;
  // The command's exit code, as shells give it.
  int code() const;
};

// Call before start(): what the command's children leave behind comes to us, so that we can see
// that all of it has ended.
void adopt_orphans();

// Until the command has ended: sends it what the rule says, passes signals on to its group (a
// second INT as KILL), stops when it is stopped at a terminal. Afterwards nothing of its group is
// left, and the terminal is ours again if it was before.
Ending supervise(
    pid_t child, Signals& signals, const Terminal& terminal, const LeaseView& lease, LossRule rule);

// Stops us as ^Z would have; returns when we are continued. Ignored, as by the kernel, where nobody
// could continue us.
void stop_ourselves();

// As ^C would have, with the script or pipeline that we are part of: a loop around us must not go
// on as if the user had said nothing.
void interrupt_ourselves();

}  // namespace interlock::cli
