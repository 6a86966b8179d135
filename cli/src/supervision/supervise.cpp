#include "supervision/supervise.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "system/processes.hpp"
#include "system/timer_descriptor.hpp"

namespace interlock::cli {
namespace {

class Supervision {
 public:
  Supervision(Watcher& watcher,
              pid_t child,
              Signals& signals,
              const Terminal& terminal,
              const LeaseView& lease,
              Rules rules)
      : watcher_(watcher),
        child_(child),
        signals_(signals),
        terminal_(terminal),
        lease_(lease),
        rules_(std::move(rules)) {}

  Ending run() {
    while (!over_) {
      // Comes first: after this process was stopped, the lease may be over, and then the command
      // must not run on for even a moment.
      apply_rule();
      end_what_is_left();
      wait();
      apply_rule();
      for (const Taken& each : signals_.take()) take(each);
      for (const Report& each : watcher_.take()) hear(each);
      if (watcher_.gone() && !over_) go_on_without_watcher();
    }
    rules_.loss.conclude(ending_.ended, lease_.certain_until(), lease_.store_says_lost());
    note_loss();
    ending_.lost_since = rules_.loss.lost_since();
    ending_.lost_by_clock = rules_.loss.lost_by_clock();
    ending_.certain_until = rules_.loss.certain_until();
    terminal_.take_from_the_dead();
    return ending_;
  }

 private:
  // --- time --------------------------------------------------------------------------------------

  void apply_rule() {
    const TimePoint now = lease_.now();
    const TimePoint certain_until = lease_.certain_until();
    const LossRule::LossDecision step =
        rules_.loss.look(now, certain_until, lease_.store_says_lost());
    if (step.signal == SIGKILL) {
      watcher_.end();
    } else if (step.signal) {
      watcher_.tell_all(*step.signal);
    }
    note_loss();
    const auto deadline = rules_.loss.deadline();
    watcher_.keep_until(deadline);
    next_ = step.next;
    // Often enough that the watcher learns of a renewal long before it would act.
    constexpr milliseconds least{5};
    if (deadline && *deadline - now > least) wake_at(now + (*deadline - now) / 2);
  }

  void note_loss() {
    if (rules_.loss.lost() && !std::exchange(loss_noted_, true)) rules_.lost();
  }

  void wake_at(TimePoint time) { next_ = next_ ? std::min(*next_, time) : time; }

  void wait() {
    if (next_) {
      alarm_.arm(*next_ - lease_.now());
    } else {
      alarm_.disarm();
    }
    // After a loss the lock reports nothing more; poll() ignores a negative descriptor.
    std::array<pollfd, 4> files{{{signals_.descriptor(), POLLIN, 0},
                                 {alarm_.descriptor(), POLLIN, 0},
                                 {watcher_.descriptor(), POLLIN, 0},
                                 {rules_.loss.lost() ? -1 : lease_.woken, POLLIN, 0}}};
    ::poll(files.data(), files.size(), -1);
  }

  // --- signals -----------------------------------------------------------------------------------

  void take(const Taken& taken) {
    if (taken.signal == SIGCHLD) {
      watcher_.tend();
      reap_orphans();
    } else if (at_keyboard(taken)) {
      interrupted_ = interrupted_ || taken.signal == SIGINT;
      // Else the command decides: it may ignore ^Z.
      if (taken.signal == SIGTSTP && command_ended_) stop_ourselves();
    } else if (!asks_to_end(taken.signal)) {
      watcher_.pass_on(taken.signal, taken.sender);
    } else if ((taken.signal == SIGINT && ++interrupts_ > 1) || (command_ended_ && asked_)) {
      note_end_of_waiting(taken.signal);
      watcher_.end();
    } else {
      note_end_of_waiting(taken.signal);
      asked_ = true;
      watcher_.pass_on(taken.signal, taken.sender);
      // A stopped process handles a signal only after it was continued.
      watcher_.pass_on(SIGCONT, taken.sender);
    }
  }

  // The processes for which this waited may not have done their work, so the command's exit code
  // does not count.
  void note_end_of_waiting(int signal) {
    if (!command_ended_ || rules_.left_behind != LeftBehind::wait) return;
    if (!ending_.stopped_waiting) ending_.stopped_waiting = signal;
  }

  // Then the command got the signal, too, because it is in our group; except if the terminal is
  // gone: then only the leader of its session gets it.
  bool at_keyboard(const Taken& taken) const {
    const bool hung_up = taken.signal == SIGHUP && ::getsid(0) == ::getpid();
    return taken.from_system && terminal_.exists() && !hung_up;
  }

  // A command that is stopped by hand elsewhere keeps its lock, so we go on. At a terminal the
  // shell must see its job stop, or nobody could use the terminal any more.
  void stop_with_it(int signal) {
    const bool by_terminal = signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (!terminal_.exists() || (!by_terminal && !terminal_.ours())) return;
    // The report may be old: while we were stopped, the watcher has ended the command.
    if (::kill(child_, 0) != 0 && errno == ESRCH) return;
    const auto command = find_process(child_);
    if (command && !command->stopped()) return;  // it goes on already
    if (!stop_ourselves()) return;
    apply_rule();
    // The command may be in a group of its own by now, which the shell does not know.
    watcher_.pass_on(SIGCONT, 0);
  }

  // Reaps the children of the program in whose place we were executed, and, if we are the first
  // process of a container, its orphans.
  void reap_orphans() const {
    siginfo_t info{};
    while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
      if (info.si_pid == watcher_.pid()) return;
      ::waitpid(info.si_pid, nullptr, 0);
    }
  }

  // --- the command -------------------------------------------------------------------------------

  void hear(const Report& report) {
    switch (report.kind) {
      case ReportKind::stopped:
        return stop_with_it(report.number);
      case ReportKind::ended:
        return command_ended(report.number);
      case ReportKind::told:
        return told(report);
      case ReportKind::refused:
        if (report.signal != SIGKILL) return;
        ending_.refused.push_back(report);
        return rules_.tell(refusal_text(report));
      case ReportKind::foreign:
        return rules_.tell(
            fmt::format("{} runs as another user: it cannot be ended if the lock is lost: run "
                        "interlock itself as that user",
                        process_text(report)));
      case ReportKind::expired:
        return rules_.loss.expire(TimePoint(Duration(report.at)));
      case ReportKind::over:
        end_at(TimePoint(Duration(report.at)));
        if (rules_.left_behind == LeftBehind::stay && !rules_.loss.lost()) {
          ending_.left_behind = report.count;
        }
        return;
      case ReportKind::started:
      case ReportKind::not_started:
        return;
    }
  }

  void command_ended(int status) {
    command_ended_ = true;
    ending_.status = status;
    ending_.interrupted_by_key = interrupted_ && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    if (rules_.loss.lost()) return;
    if (rules_.left_behind == LeftBehind::stay) watcher_.let_go();
    // Most remaining processes are about to end: the last of a pipeline, a log's tee.
    constexpr milliseconds moment{100};
    if (rules_.left_behind == LeftBehind::end) tell_left_at_ = lease_.now() + moment;
  }

  void told(const Report& report) {
    if (report.count == 0) return;
    if (rules_.loss.lost()) {
      if (!ending_.first_for_loss) ending_.first_for_loss = report.signal;
      ending_.signal_for_loss = report.signal;
    } else if (command_ended_ && report.signal == SIGTERM) {
      ending_.left_behind = report.count;
      rules_.tell(fmt::format(
          "the command left {} process{} behind, {}{}: TERM sent, and the lock is kept until {} "
          "ended (--left-behind)",
          report.count, report.count == 1 ? "" : "es", process_text(report),
          report.count == 1 ? "" : " among them", report.count == 1 ? "it has" : "they have"));
    }
  }

  void end_what_is_left() {
    const TimePoint now = lease_.now();
    if (tell_left_at_ && now >= *tell_left_at_) {
      tell_left_at_.reset();
      end_left_at_ = now + rules_.grace;
      watcher_.tell_all(SIGTERM);
    }
    if (end_left_at_ && now >= *end_left_at_) {
      end_left_at_.reset();
      watcher_.end();
    }
    if (tell_left_at_) wake_at(*tell_left_at_);
    if (end_left_at_) wake_at(*end_left_at_);
  }

  void go_on_without_watcher() {
    rules_.tell("its watcher was killed, and the command with it");
    if (!command_ended_) ending_.status = SIGKILL;
    for (const Report& each : watcher_.end_orphans()) {
      ending_.refused.push_back(each);
      rules_.tell(refusal_text(each));
    }
    end_at(lease_.now());
  }

  void end_at(TimePoint time) {
    ending_.ended = time;
    over_ = true;
  }

  Watcher& watcher_;
  pid_t child_;
  Signals& signals_;
  const Terminal& terminal_;
  const LeaseView& lease_;
  Rules rules_;
  TimerDescriptor alarm_;
  Ending ending_;
  std::optional<TimePoint> next_;
  std::optional<TimePoint> tell_left_at_;
  std::optional<TimePoint> end_left_at_;
  int interrupts_ = 0;
  bool interrupted_ = false;  // by a key
  bool asked_ = false;        // to end
  bool command_ended_ = false;
  bool loss_noted_ = false;
  bool over_ = false;
};

}  // namespace

bool Ending::signalled() const {
  return WIFSIGNALED(status);
}

int Ending::code() const {
  return signalled() ? ended_by_signal(WTERMSIG(status)) : WEXITSTATUS(status);
}

Ending supervise(Watcher& watcher,
                 pid_t child,
                 Signals& signals,
                 const Terminal& terminal,
                 const LeaseView& lease,
                 Rules rules) {
  return Supervision(watcher, child, signals, terminal, lease, std::move(rules)).run();
}

void interrupt_ourselves() {
  ::raise(SIGINT);
}

bool stop_ourselves() {
  ::raise(SIGTSTP);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  // The signal is delivered between these two calls.
  ::pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  sigset_t pending;
  sigemptyset(&pending);
  ::sigpending(&pending);
  return sigismember(&pending, SIGCONT) == 1;
}

}  // namespace interlock::cli
