#include "supervision/watcher_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "console/talk.hpp"
#include "system/command_line.hpp"

namespace interlock::cli {
namespace {

Failure not_begun(int error) {
  return {operating_system,
          fmt::format("the watcher process of interlock not started: {}: raise the limit "
                      "(ulimit -u, ulimit -n) or end something else",
                      std::strerror(error))};
}

[[noreturn]] void watch(const std::function<void(int)>& work, int channel) noexcept {
  forget_kept_messages();
  ::setpgid(0, 0);
  // Neither name nor command line have "interlock" in them, so that `pkill -9 interlock` and `pkill
  // -f "interlock run"` leave the watchers alone, which then end the commands of those programs.
  constexpr const char* name = "il-watch";
  ::prctl(PR_SET_NAME, name);
  replace_command_line(name);
  // If this process is stopped when the program ends, the system continues it.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
  try {
    work(channel);
  } catch (const std::exception& error) {
    say(fmt::format("the watcher of a command cannot go on: {}", error.what()));
  }
  write_kept_messages_within_a_second();
  // Ends without destructors, because they would end objects that belong to the program.
  ::_exit(0);
}

void close_between(int first, int last) noexcept {
  if (first > last) return;
  if (::close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0) return;
  // For kernels before 5.9.
  const long most = std::clamp(::sysconf(_SC_OPEN_MAX), 0L, 65536L);
  for (int each = first; each <= last && each < most; ++each) ::close(each);
}

}  // namespace

Fallible<WatcherProcess> WatcherProcess::begin(const std::function<void(int)>& work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return not_begun(errno);
  // Not fork(): the lock file that this process has open would be closed for it, and opened anew
  // afterwards. The watcher uses nothing of it, and closes its descriptors.
  const pid_t pid = ::_Fork();
  if (pid == 0) {
    // Else this process would never see the program's end.
    ::close(ends[0]);
    watch(work, ends[1]);
  }
  const int error = errno;
  ::close(ends[1]);
  if (pid > 0) return WatcherProcess(pid, ends[0]);
  ::close(ends[0]);
  return not_begun(error);
}

WatcherProcess::WatcherProcess(WatcherProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), channel_(std::exchange(other.channel_, -1)) {}

WatcherProcess::~WatcherProcess() {
  if (channel_ >= 0) ::close(channel_);
  reap();
}

void WatcherProcess::continue_if_stopped() const noexcept {
  if (pid_ == 0) return;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) != 0) return;
  if (info.si_pid == pid_) ::kill(pid_, SIGCONT);
}

void WatcherProcess::reap() noexcept {
  if (pid_ == 0) return;
  // A stopped process would never end.
  ::kill(pid_, SIGCONT);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

void close_all_but(std::initializer_list<int> descriptors) noexcept {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
  }
  std::vector<int> kept(descriptors);
  std::sort(kept.begin(), kept.end());
  int next = STDERR_FILENO + 1;
  for (const int each : kept) {
    close_between(next, each - 1);
    next = each + 1;
  }
  constexpr int greatest = 0x7fffffff;
  close_between(next, greatest);
}

}  // namespace interlock::cli
