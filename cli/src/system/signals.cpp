#include "system/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <strings.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "interlock/detail/number.hpp"

namespace interlock::cli {
namespace {

constexpr std::array handled{SIGINT,   SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1,  SIGUSR2,
                             SIGALRM,  SIGPROF, SIGVTALRM, SIGXCPU, SIGIO,    SIGPWR,
                             SIGWINCH, SIGTSTP, SIGCONT,   SIGCHLD, SIGSTKFLT};

std::vector<int> all_handled() {
  std::vector<int> signals(handled.begin(), handled.end());
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) signals.push_back(signal);
  return signals;
}

// The system also sends the signals of timers (alarm(2)) and of limits: they have nothing to do
// with a terminal.
bool is_of_terminals(int signal) {
  constexpr std::array sent{SIGINT, SIGQUIT, SIGTSTP, SIGWINCH, SIGHUP, SIGCONT};
  return std::find(sent.begin(), sent.end(), signal) != sent.end();
}

struct sigaction file_size_before {};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  // When a store closes its connection, a write must fail and not end us: else nobody would watch
  // the command.
  ::sigaction(SIGPIPE, &ignore, &pipe_before_);
  // While SIGCHLD is ignored, a process cannot wait for its children.
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &normal, &child_before_);

  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : all_handled()) {
    if (signal == SIGCHLD || !is_ignored(signal)) sigaddset(&taken, signal);
  }
  sigset_t blocked = taken;
  // Writing to the terminal from the background must not stop us.
  sigaddset(&blocked, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &mask_before_);
  descriptor_ = ::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    const int error = errno;
    restore();
    throw std::system_error(error, std::generic_category(), "signalfd");
  }
}

Signals::~Signals() {
  if (descriptor_ >= 0) ::close(descriptor_);
  restore();
}

std::vector<Taken> Signals::take() {
  std::vector<Taken> taken;
  signalfd_siginfo info{};
  while (::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    Taken one;
    one.signal = static_cast<int>(info.ssi_signo);
    one.from_system = info.ssi_code == SI_KERNEL && is_of_terminals(one.signal);
    one.sender = static_cast<pid_t>(info.ssi_pid);
    taken.push_back(one);
  }
  return taken;
}

void Signals::restore() const noexcept {
  ::sigaction(SIGPIPE, &pipe_before_, nullptr);
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool asks_to_end(int signal) {
  constexpr std::array others{SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};
  return std::find(others.begin(), others.end(), signal) == others.end();
}

void ignore_broken_pipes() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
}

void ignore_file_size_signal() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignore, &file_size_before);
}

void restore_file_size_signal() noexcept {
  ::sigaction(SIGXFSZ, &file_size_before, nullptr);
}

const char* signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? name : "an unnamed signal";
}

int parse_signal(const char* text) {
  if (const auto number = detail::parse_number<int>(text)) {
    return *number > 0 && *number < SIGRTMIN ? *number : 0;
  }
  if (::strncasecmp(text, "SIG", 3) == 0) text += 3;
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    const char* const name = ::sigabbrev_np(signal);
    if (name != nullptr && ::strcasecmp(text, name) == 0) return signal;
  }
  return 0;
}

}  // namespace interlock::cli
