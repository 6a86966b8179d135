// The processes of the machine and their descent.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace interlock::cli {

class Process {
 public:
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = '?';           // of its main thread, as ps(1) shows it
  int threads = 0;            // those that are not reaped, the main thread among them; 0: not known
  std::uint64_t started = 0;  // in ticks since the system booted
  std::string name;           // 15 bytes at most, chosen by the process; empty: not known

  bool stopped() const noexcept { return state == 'T' || state == 't'; }
  bool ended() const noexcept;
};

// None: there is no such process, or /proc does not show it. If /proc belongs to another PID
// namespace, only descendants of the calling process are found.
std::optional<Process> find_process(pid_t pid);

// The user as whom it runs: `root` or `user 1000`. Empty: not known.
std::string user_of(pid_t pid);

// The descendants of the calling process that have not ended, parents before their children.
// Processes that start or end meanwhile may be missing. If there is no /proc, if it hides other
// users' processes, or if it belongs to a PID namespace that does not contain ours: at least the
// children. Without /proc this takes a second or two.
std::vector<Process> descendants();

}  // namespace interlock::cli
