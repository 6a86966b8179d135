#include "supervision/watcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "console/talk.hpp"
#include "interlock/local_clock.hpp"
#include "supervision/command_file.hpp"
#include "system/processes.hpp"

namespace interlock::cli {
namespace {

// False: no child had ended.
bool reap_all_ended() {
  bool any = false;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) any = true;
  return any;
}

}  // namespace

Fallible<Watcher> Watcher::begin(const WatchedCommand& command, Signals& signals) {
  // Set before the watcher can be killed.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto process =
      WatcherProcess::begin([&](int channel) { watch_command(channel, command, signals); });
  if (!process) return process.error();
  return Watcher(std::move(*process), command.command.words.front());
}

Watcher::~Watcher() {
  if (process_.pid() != 0 && !gone_ && !let_go_) end();
}

Fallible<pid_t> Watcher::start(
    const std::vector<std::pair<std::string, std::string>>& environment) {
  const Order start{OrderKind::start};
  std::string packet(reinterpret_cast<const char*>(&start), sizeof start);
  for (const auto& [name, value] : environment) {
    packet += name + "=" + value;
    packet += '\0';
  }
  ::send(process_.channel(), packet.data(), packet.size(), MSG_NOSIGNAL);
  pollfd answer{process_.channel(), POLLIN, 0};
  for (;;) {
    ::poll(&answer, 1, -1);
    const std::optional<Report> report = receive();
    if (report && report->kind == ReportKind::started) return report->pid;
    if (report && report->kind == ReportKind::not_started) return not_started_text(report->number);
    if (gone_) {
      return Failure(operating_system,
                     fmt::format("'{}' not started: its watcher process was killed: "
                                 "try again",
                                 printable(word_, 100)));
    }
  }
}

Failure Watcher::not_started_text(int error) const {
  if (error != ETIME) return not_started(word_, error);
  return {lost, fmt::format("'{}' not started: the lock was lost before: this program did not run "
                            "until its lease had ended",
                            printable(word_, 100))};
}

void Watcher::order(OrderKind kind, int signal, pid_t sender) {
  Order order;
  order.kind = kind;
  order.signal = signal;
  order.sender = sender;
  order.until = kept_until_ ? kept_until_->time_since_epoch().count() : 0;
  static_cast<void>(!::send(process_.channel(), &order, sizeof order, MSG_NOSIGNAL));
}

void Watcher::keep_until(std::optional<TimePoint> until) {
  if (until == kept_until_) return;
  kept_until_ = until;
  order(OrderKind::keep_until);
}

void Watcher::pass_on(int signal, pid_t sender) {
  order(OrderKind::pass_on, signal, sender);
}

void Watcher::tell_all(int signal) {
  order(OrderKind::tell_all, signal);
}

void Watcher::end() {
  order(OrderKind::end);
}

void Watcher::let_go() {
  let_go_ = true;
  order(OrderKind::let_go);
}

std::optional<Report> Watcher::receive() {
  Report report;
  ssize_t size = 0;
  // ECONNRESET: the other end has closed without reading all; its own messages come after that
  // error.
  do {
    size = ::recv(process_.channel(), &report, sizeof report, MSG_DONTWAIT);
  } while (size < 0 && (errno == EINTR || errno == ECONNRESET));
  if (size == static_cast<ssize_t>(sizeof report)) return report;
  gone_ = size >= 0 || errno != EAGAIN;
  return std::nullopt;
}

std::vector<Report> Watcher::take() {
  std::vector<Report> reports;
  while (auto report = receive()) reports.push_back(*report);
  return reports;
}

void Watcher::tend() noexcept {
  process_.continue_if_stopped();
}

std::vector<Report> Watcher::end_orphans() {
  const auto watcher = find_process(process_.pid());
  process_.reap();
  std::vector<Report> refused;
  const TimePoint give_up = local_now() + std::chrono::seconds{1};
  bool looked_in_vain = false;
  for (;;) {
    const bool reaped = reap_all_ended();
    // If a process has ended since the last look, that look may have missed its children.
    if (looked_in_vain && !reaped) return refused;
    std::vector<Process> left = descendants();
    // This program may have been executed in the place of a shell, whose children do not belong to
    // the command.
    const auto older = [&](const Process& each) {
      return watcher && each.started < watcher->started;
    };
    left.erase(std::remove_if(left.begin(), left.end(), older), left.end());
    refused.clear();
    for (const Process& each : left) {
      const int error = ::kill(each.pid, SIGKILL) == 0 ? 0 : errno;
      if (error == ESRCH) continue;
      refused.push_back(report_of(ReportKind::refused, each));
      refused.back().signal = SIGKILL;
      refused.back().number = error;
    }
    looked_in_vain = left.empty();
    if (local_now() >= give_up) return refused;
    if (!looked_in_vain) std::this_thread::sleep_for(milliseconds{2});
  }
}

}  // namespace interlock::cli
