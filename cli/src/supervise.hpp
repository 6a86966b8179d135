// Watching over a running command and the lock that it needs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "interlock/vocabulary.hpp"
#include "loss_rule.hpp"
#include "signals.hpp"
#include "terminal.hpp"
#include "watcher.hpp"

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

// What becomes of the processes that a command leaves behind when it ends.
enum class LeftBehind {
  end,   // a moment to end by themselves, TERM, and KILL after the grace
  wait,  // they are waited for
  stay,  // they run on
};

class Rules {
 public:
  LossRule loss;
  LeftBehind left_behind = LeftBehind::end;
  Duration grace{};  // between TERM and KILL for what is left behind
  // A line for people, of what happens meanwhile.
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
};

class Ending {
 public:
  int status = internal << 8;  // of the command, as from waitpid
  std::optional<TimePoint> lost_since;
  std::optional<TimePoint> certain_until;  // the lease's end, as it was seen last before that
  std::optional<int> signal_for_loss;      // the last that was sent for that reason
  TimePoint ended{};                       // the command and what it had left behind
  bool interrupted_by_key = false;         // ^C, and the command died of it
  int left_behind = 0;                     // processes that had to be ended, or stay
  std::vector<Report> refused;             // those that could not be ended

  // Noticed when the lease could have ended anyway: what the store says of its key afterwards is no
  // cause.
  bool lost_by_clock() const;
  bool signalled() const;
  // The command's exit code, as shells give it.
  int code() const;
};

// Until the command has ended, and what it has left behind as far as the rules say so: sends what
// the rule says, passes signals on to its group (a second INT as KILL), stops when the command is
// stopped at a terminal. The watcher must have started it.
Ending supervise(Watcher& watcher,
                 pid_t child,
                 Signals& signals,
                 const Terminal& terminal,
                 const LeaseView& lease,
                 Rules rules);

// Stops us as ^Z would have, and returns when we are continued. False: nobody could continue us, so
// that we were not stopped, as the kernel does it.
bool stop_ourselves();

// ^C has ended our command and gone to our whole group: so that the script around us sees that it
// was for us, too, and does not go on. The signals must be as our caller left them.
void interrupt_ourselves();

}  // namespace interlock::cli
