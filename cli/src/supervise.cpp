#include "supervise.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "alarm.hpp"

namespace interlock::cli {
namespace {

class Supervision {
 public:
  Supervision(pid_t child,
              Signals& signals,
              const Terminal& terminal,
              const LeaseView& lease,
              LossRule rule)
      : child_(child), signals_(signals), terminal_(terminal), lease_(lease), rule_(rule) {}

  Ending run() {
    while (!has_ended()) {
      // First of all: after a stop of ours the lease may be over, and then the command must not run
      // on for even a moment.
      apply_rule();
      wait();
      apply_rule();
      for (const int signal : signals_.take()) pass_on(signal);
      if (stopped_at_terminal()) stop_with_it();
    }
    ending_.ended = lease_.now();
    ending_.had_terminal = terminal_.has(child_);
    rule_.conclude(ending_.ended, lease_.certain_until(), lease_.store_says_lost());
    ending_.lost_since = rule_.lost_since();
    end_group();
    if (ending_.had_terminal) terminal_.take_back();
    return ending_;
  }

 private:
  void send(int signal) { ::kill(-child_, signal); }

  // To a stopped process a signal means nothing until it goes on.
  void send_and_continue(int signal) {
    send(signal);
    if (signal != SIGKILL) send(SIGCONT);
  }

  void apply_rule() {
    const LossRule::Step step =
        rule_.look(lease_.now(), lease_.certain_until(), lease_.store_says_lost());
    if (step.signal) {
      ending_.signal_for_loss = *step.signal;
      send_and_continue(*step.signal);
    }
    if (step.next) {
      alarm_.arm(*step.next - lease_.now());
    } else {
      alarm_.disarm();
    }
  }

  void wait() {
    // Once lost, there is nothing more to hear from the lock; a negative descriptor is passed over.
    std::array<pollfd, 3> files{{{signals_.descriptor(), POLLIN, 0},
                                 {alarm_.descriptor(), POLLIN, 0},
                                 {rule_.lost() ? -1 : lease_.woken, POLLIN, 0}}};
    ::poll(files.data(), files.size(), -1);
  }

  void pass_on(int signal) {
    switch (signal) {
      case SIGCHLD:
        return;
      case SIGINT:
        send_and_continue(++interrupts_ == 1 ? SIGINT : SIGKILL);
        return;
      case SIGTERM:
      case SIGHUP:
      case SIGQUIT:
        send_and_continue(signal);
        return;
      case SIGCONT:
        if (terminal_.ours()) terminal_.give_to(child_);
        [[fallthrough]];
      default:
        send(signal);
    }
  }

  // A command that is stopped by hand elsewhere keeps its lock, so we go on. At a terminal the
  // shell must see its job stop.
  bool stopped_at_terminal() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child_), &info, WSTOPPED | WNOHANG) != 0) return false;
    if (info.si_pid == 0 || terminal_.descriptor() < 0) return false;
    return info.si_status == SIGTSTP || info.si_status == SIGTTIN || info.si_status == SIGTTOU;
  }

  void stop_with_it() {
    if (terminal_.has(child_)) terminal_.take_back();
    stop_ourselves();
    apply_rule();
    if (terminal_.ours()) terminal_.give_to(child_);
    send(SIGCONT);
  }

  // Leaves the command unreaped: until then its group's number cannot be taken by another.
  bool has_ended() {
    for (;;) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
      if (info.si_pid == 0) return false;
      if (info.si_pid == child_) return true;
      ::waitpid(info.si_pid, nullptr, 0);
    }
  }

  void end_group() {
    send(SIGKILL);
    // Bounded, because a process in an uninterruptible call dies only when that returns.
    constexpr std::chrono::seconds patience{1};
    const TimePoint give_up = lease_.now() + patience;
    bool reaped = false;
    while (!reaped || (::kill(-child_, 0) == 0 && lease_.now() < give_up)) {
      int status = 0;
      // The leader has ended, so waiting for it returns at once.
      const pid_t pid = ::waitpid(reaped ? -child_ : child_, &status, reaped ? WNOHANG : 0);
      if (!reaped) {
        reaped = true;
        if (pid == child_) ending_.status = status;
      } else if (pid <= 0) {
        std::this_thread::sleep_for(milliseconds{1});
      }
    }
  }

  pid_t child_;
  Signals& signals_;
  const Terminal& terminal_;
  const LeaseView& lease_;
  LossRule rule_;
  Alarm alarm_;
  Ending ending_;
  int interrupts_ = 0;
};

}  // namespace

bool Ending::signalled() const {
  return WIFSIGNALED(status);
}

int Ending::code() const {
  return signalled() ? ended_by_signal(WTERMSIG(status)) : WEXITSTATUS(status);
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Ending supervise(pid_t child,
                 Signals& signals,
                 const Terminal& terminal,
                 const LeaseView& lease,
                 LossRule rule) {
  return Supervision(child, signals, terminal, lease, rule).run();
}

void interrupt_ourselves() {
  ::kill(0, SIGINT);
}

void stop_ourselves() {
  // To the whole group, as the terminal does: a pipeline or script that we are part of is one job.
  ::kill(0, SIGTSTP);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  // Delivered to us in between.
  ::pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
}

}  // namespace interlock::cli
