// Watching over a running command and the lock that it needs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "console/exit_code.hpp"
#include "interlock/vocabulary.hpp"
#include "supervision/loss_rule.hpp"
#include "supervision/watcher.hpp"
#include "system/signals.hpp"
#include "system/terminal.hpp"

namespace interlock::cli {

// All that supervision needs of a lock; tests put in locks that are lost on purpose.
class LeaseView {
 public:
  std::function<TimePoint()> now;
  std::function<TimePoint()> certain_until;  // as of the last renewal
  // Not for a renewal that is merely overdue: certain_until() is for that.
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
  // Gets a line for people about each event.
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
  // Called once, as soon as the lock counts as lost. That is before the lease ends if the command
  // is ended in time.
  std::function<void()> lost = [] {};
};

class Ending {
 public:
  int status = internal << 8;  // of the command, as from waitpid
  std::optional<TimePoint> lost_since;
  bool lost_by_clock = false;              // LossRule::lost_by_clock()
  std::optional<TimePoint> certain_until;  // the lease's end as it was last seen before that
  std::optional<int> first_for_loss;       // the first signal that was sent for that reason
  std::optional<int> signal_for_loss;      // and the last
  TimePoint ended{};                       // the command and what it had left behind
  bool interrupted_by_key = false;         // ^C, and the command died of it
  std::optional<int> stopped_waiting;      // the signal that ended what was waited for
  int left_behind = 0;                     // processes that had to be ended, or stay
  std::vector<Report> refused;             // those that could not be ended

  bool signalled() const;
  // The command's exit code, as shells give it.
  int code() const;
};

// Runs until the command has ended, and also the processes that it has left behind, if the rules
// say so. Sends the signals of the rule, passes signals on to the command's group (a second INT as
// KILL), and stops when the command is stopped at a terminal. The watcher must have started the
// command.
Ending supervise(Watcher& watcher,
                 pid_t child,
                 Signals& signals,
                 const Terminal& terminal,
                 const LeaseView& lease,
                 Rules rules);

// Stops this program as ^Z would, and returns when it is continued. False: no process could
// continue it, so the kernel did not stop it.
bool stop_ourselves();

// Ends this program by SIGINT. Call it after ^C, which goes to our whole group, has ended our
// command: so the script around us sees that ^C was for us, too, and does not go on. The signals
// must be as our caller left them.
void interrupt_ourselves();

}  // namespace interlock::cli
