#include "supervision/watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "console/talk.hpp"
#include "interlock/local_clock.hpp"
#include "supervision/watch_messages.hpp"
#include "supervision/watcher_process.hpp"
#include "system/timer_descriptor.hpp"
#include "system/watchdog.hpp"

namespace interlock::cli {
namespace {

using std::chrono::seconds;

class CommandWatch {
 public:
  CommandWatch(int channel, WatchedCommand command, Signals& signals)
      : channel_(channel), command_(std::move(command)), signals_(signals) {}

  void run() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    while (!done_) {
      wait();
      hear();
      signals_.take();
      reap();
      if (alarm_.take() && !done_) expire();
      if (ending_ && !done_) end_more();
      if (!ending_ && !done_) look_for_foreigners();
    }
  }

 private:
  // --- the program -------------------------------------------------------------------------------

  void tell(Report report) const {
    report.at = local_now().time_since_epoch().count();
    // A program that is stopped must not stop us.
    static_cast<void>(!::send(channel_, &report, sizeof report, MSG_DONTWAIT | MSG_NOSIGNAL));
  }
  void tell(ReportKind kind, int number, pid_t pid = 0) const {
    Report report;
    report.kind = kind;
    report.number = number;
    report.pid = pid;
    tell(report);
  }

  void wait() {
    std::optional<TimePoint> next;
    if (ending_) {
      next = local_now() + pause_;
    } else if (child_runs_ && !foreigner_told_) {
      next = next_look_;
    }
    int timeout = -1;
    if (next) {
      const auto in = std::chrono::ceil<milliseconds>(*next - local_now()).count();
      timeout = static_cast<int>(std::clamp<std::int64_t>(in, 0, 1000));
    }
    std::array<pollfd, 3> files{{{program_gone_ ? -1 : channel_, POLLIN, 0},
                                 {signals_.descriptor(), POLLIN, 0},
                                 {alarm_.descriptor(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), timeout);
  }

  void hear() {
    std::string packet;
    while (!done_ && !program_gone_) {
      // A packet is as long as the environment that the command gets.
      const ssize_t size = ::recv(channel_, nullptr, 0, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);
      // ECONNRESET: the program has closed without reading all; its own messages come after that
      // error.
      if (size < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size < static_cast<ssize_t>(sizeof(Order))) return lose_program();
      packet.resize(static_cast<std::size_t>(size));
      static_cast<void>(::recv(channel_, packet.data(), packet.size(), MSG_DONTWAIT));
      Order order;
      std::memcpy(&order, packet.data(), sizeof order);
      const auto length = static_cast<std::size_t>(size) - sizeof order;
      obey(order, {packet.data() + sizeof order, length});
    }
  }

  void lose_program() {
    program_gone_ = true;
    killed_ = child_ != 0 && !ending_;
    if (child_ == 0) {
      done_ = true;
    } else {
      begin_to_end();
    }
  }

  void obey(const Order& order, std::string_view environment) {
    switch (order.kind) {
      case OrderKind::start:
        return start_command(environment);
      case OrderKind::keep_until:
        return keep_until(order.until);
      case OrderKind::pass_on:
        return pass_on(order.signal, order.sender);
      case OrderKind::tell_all:
        return tell_all(order.signal);
      case OrderKind::end:
        if (child_ != 0) return begin_to_end();
        done_ = true;
        return;
      case OrderKind::let_go:
        return conclude(static_cast<int>(descendants().size()));
    }
  }

  void keep_until(std::int64_t until) {
    kept_until_.reset();
    if (until == 0) {
      watchdog_.disarm();
      return alarm_.disarm();
    }
    kept_until_ = TimePoint(Duration(until));
    const Duration in = *kept_until_ - local_now();
    alarm_.arm(in);
    watchdog_.arm(std::max(in, Duration::zero()) + late);
  }

  // --- the command -------------------------------------------------------------------------------

  void start_command(std::string_view environment) {
    while (!environment.empty()) {
      const std::string_view entry = environment.substr(0, environment.find('\0'));
      const auto equals = std::min(entry.find('='), entry.size());
      command_.command.environment.emplace_back(entry.substr(0, equals),
                                                entry.substr(std::min(equals + 1, entry.size())));
      environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
    }
    // The program may have been stopped just before it sent this.
    if (kept_until_ && local_now() >= *kept_until_) {
      tell(ReportKind::not_started, ETIME);
      done_ = true;
      return;
    }
    if (!command_.may_stay) cgroup_ = Cgroup::make();
    const Start started =
        start(command_.command, signals_, command_.group, cgroup_, command_.standard_files);
    if (started.error != 0) {
      tell(ReportKind::not_started, started.error);
      done_ = true;
      return;
    }
    child_ = started.pid;
    child_runs_ = true;
    next_look_ = local_now() + look_after_;
    close_all_but({channel_, signals_.descriptor(), alarm_.descriptor(),
                   cgroup_ ? cgroup_->descriptor() : channel_});
    tell(ReportKind::started, 0, child_);
  }

  void reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
      looked_in_vain_ = false;
      if (pid != child_) continue;
      if (WIFSTOPPED(status)) {
        tell(ReportKind::stopped, WSTOPSIG(status));
      } else {
        child_runs_ = false;
        tell(ReportKind::ended, status);
      }
    }
    if (pid < 0 && errno == ECHILD && child_ != 0) conclude(0);
  }

  // --- signals -----------------------------------------------------------------------------------

  void pass_on(int signal, pid_t sender) {
    if (command_.group == 0 && child_runs_ && ::kill(-child_, signal) == 0) return;
    const std::vector<Process> everything = descendants();
    // One of these has sent the signal to its whole group, the program included. A second copy may
    // mean more.
    const auto sent_it = [&](const Process& each) { return each.pid == sender; };
    if (std::any_of(everything.begin(), everything.end(), sent_it)) return;
    const pid_t group = child_runs_ ? ::getpgid(child_) : 0;
    for (const Process& each : everything) {
      if (!child_runs_ || each.group == group) deliver(each, signal);
    }
  }

  bool deliver(const Process& process, int signal) {
    if (::kill(process.pid, signal) == 0) return true;
    const int error = errno;
    if (signal == SIGKILL && cgroup_ && cgroup_->contains(process.pid)) return true;
    if (error == EPERM) refuse(process, signal, error);
    return false;
  }

  // Reports a process once, and not the processes that it has started.
  void refuse(const Process& process, int signal, int error) {
    if (!refused_.emplace(process.pid, signal).second) return;
    if (refused_.count({process.parent, signal}) != 0) return;
    Report report = report_of(ReportKind::refused, process);
    report.signal = signal;
    report.number = error;
    if (program_gone_) {
      say(fmt::format("'{}': {}", printable(command_.lock, 100), refusal_text(report)));
    } else {
      tell(report);
    }
  }

  // Not to processes that start meanwhile: the signal's handlers may need them.
  void tell_all(int signal) {
    const std::vector<Process> everything = descendants();
    const bool group = command_.group == 0 && child_runs_ && ::kill(-child_, signal) == 0;
    Report told;
    int count = 0;
    for (const Process& each : everything) {
      if (!(group && each.group == child_) && !deliver(each, signal)) continue;
      // A stopped process handles a signal only after it was continued.
      ::kill(each.pid, SIGCONT);
      if (++count == 1) told = report_of(ReportKind::told, each);
    }
    if (group && count == 0) ::kill(-child_, SIGCONT);
    tell_of(told, signal, group ? std::max(count, 1) : count);
  }

  void tell_of(Report told, int signal, int count) const {
    told.kind = ReportKind::told;
    told.signal = signal;
    told.count = count;
    tell(told);
  }

  // --- the end -----------------------------------------------------------------------------------

  void expire() {
    if (child_ == 0) return;
    tell(ReportKind::expired, 0);
    begin_to_end();
  }

  void begin_to_end() {
    if (ending_) return;
    ending_ = true;
    watchdog_.disarm();
    // Kills the groups first: a process that starts others all the time cannot escape that, and
    // finding the others takes time.
    if (cgroup_) cgroup_->kill();
    const bool group = command_.group == 0 && child_runs_ && ::kill(-child_, SIGKILL) == 0;
    const std::vector<Process> everything = descendants();
    const int count = kill_each(everything);
    give_up_ = local_now() + seconds{1};
    Report told;
    if (!everything.empty()) told = report_of(ReportKind::told, everything.front());
    const bool any = group || (cgroup_ && child_runs_);
    tell_of(told, SIGKILL, any ? std::max(count, 1) : count);
  }

  int kill_each(const std::vector<Process>& processes) {
    return static_cast<int>(
        std::count_if(processes.begin(), processes.end(),
                      [&](const auto& each) { return deliver(each, SIGKILL); }));
  }

  void end_more() {
    const std::vector<Process> everything = descendants();
    const int reached = kill_each(everything);
    pause_ = std::min<Duration>(pause_ * 2, milliseconds{250});
    // The program waits as long as the command itself runs.
    const bool command_runs = child_runs_ && !program_gone_;
    // Ended processes are reaped next; but one that another process traces may never be. If a
    // process was reaped since the last look, that look may have missed its children.
    const bool twice_in_vain =
        std::exchange(looked_in_vain_, everything.empty()) && everything.empty();
    if (everything.empty() && (command_runs || !twice_in_vain)) return;
    const int left = static_cast<int>(everything.size());
    if (reached == 0 && !command_runs) return conclude(left);
    // A process in an uninterruptible call dies only when the call returns.
    if (local_now() < give_up_ || command_runs || program_gone_) return;
    for (const Process& each : everything) refuse(each, SIGKILL, 0);
    conclude(left);
  }

  void conclude(int left) {
    Report report;
    report.kind = ReportKind::over;
    report.count = left;
    tell(report);
    done_ = true;
    if (killed_ && left == 0) {
      say(fmt::format("'{}': interlock (pid {}) was killed: its command was killed too",
                      printable(command_.lock, 100), program_));
    }
  }

  // --- other users' processes --------------------------------------------------------------------

  // Looks for processes of other users, as set-user-ID programs such as sudo start them. It looks
  // more and more rarely, because a look through all processes of a machine is costly.
  void look_for_foreigners() {
    if (!child_runs_ || foreigner_told_ || local_now() < next_look_) return;
    look_after_ *= 2;
    next_look_ = local_now() + look_after_;
    for (const Process& each : descendants()) {
      if (::kill(each.pid, 0) == 0 || errno != EPERM) continue;
      if (cgroup_ && cgroup_->contains(each.pid)) continue;
      foreigner_told_ = true;
      return tell(report_of(ReportKind::foreign, each));
    }
  }

  int channel_;
  WatchedCommand command_;
  Signals& signals_;
  TimerDescriptor alarm_;
  // If the program and this process are both stopped, nobody else ends the command when its lease
  // is over: the end of this process does, by PR_SET_PDEATHSIG.
  Watchdog watchdog_;
  // Longer than the delays of scheduling: the watchdog ends the command's first process alone.
  static constexpr Duration late = seconds{1};
  const pid_t program_ = ::getppid();
  pid_t child_ = 0;
  bool child_runs_ = false;
  std::unique_ptr<Cgroup> cgroup_;
  std::optional<TimePoint> kept_until_;
  bool program_gone_ = false;
  bool killed_ = false;  // the program was killed in the midst of its work
  bool done_ = false;
  bool ending_ = false;
  Duration pause_ = milliseconds{1};
  TimePoint give_up_{};
  bool looked_in_vain_ = false;  // at the last look nothing ran, and nothing was reaped since
  std::set<std::pair<pid_t, int>> refused_;
  Duration look_after_ = seconds{1};
  TimePoint next_look_{};
  bool foreigner_told_ = ::geteuid() == 0;  // root may signal everybody
};

}  // namespace

void watch_command(int channel, WatchedCommand command, Signals& signals) {
  CommandWatch(channel, std::move(command), signals).run();
}

}  // namespace interlock::cli
