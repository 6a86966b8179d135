// The program's end of the watcher of its command.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console/failure.hpp"
#include "interlock/vocabulary.hpp"
#include "supervision/watch.hpp"
#include "supervision/watch_messages.hpp"
#include "supervision/watcher_process.hpp"
#include "system/signals.hpp"

namespace interlock::cli {

// One for each command. If the watcher itself is killed, the system kills the command's first
// process, and the others become children of this process, which is their subreaper: end_orphans().
class Watcher {
 public:
  // Call it before the program has threads or a store: see WatcherProcess::begin. `signals` must
  // outlive the Watcher. Fails with 71.
  static Fallible<Watcher> begin(const WatchedCommand& command, Signals& signals);

  Watcher(Watcher&& other) = default;
  Watcher& operator=(Watcher&&) = delete;
  // Ends everything that is left, unless it was let go.
  ~Watcher();

  // Starts the command with these additions to its environment, and returns its process id. Call it
  // once. Fails with 127 (no such command), 126 (not executable) or 71; then nothing runs.
  Fallible<pid_t> start(const std::vector<std::pair<std::string, std::string>>& environment);

  // The watcher ends everything at `until`, also if this process is stopped or slow, unless it gets
  // a later moment before. None: never.
  void keep_until(std::optional<TimePoint> until);
  // Sends a signal to the command and its process group, or to everything if the command has ended;
  // but not if one of these was the sender.
  void pass_on(int signal, pid_t sender);
  // Sends a signal to everything, also to stopped processes.
  void tell_all(int signal);
  // Kills everything until nothing is left.
  void end();
  // From now on the watcher ends nothing.
  void let_go();

  pid_t pid() const noexcept { return process_.pid(); }

  // Readable when take() has something to give.
  int descriptor() const noexcept { return process_.channel(); }
  std::vector<Report> take();
  // Whether the watcher has ended. After a report `over` that is its normal end; else it was
  // killed.
  bool gone() const noexcept { return gone_; }
  // Continues the watcher if it was stopped: call it when a child has changed.
  void tend() noexcept;
  // If the watcher was killed: kills the processes that it watched, until none is left or a second
  // has passed. Returns those that are left.
  std::vector<Report> end_orphans();

 private:
  Watcher(WatcherProcess process, std::string word)
      : process_(std::move(process)), word_(std::move(word)) {}
  std::optional<Report> receive();
  Failure not_started_text(int error) const;
  void order(OrderKind kind, int signal = 0, pid_t sender = 0);

  WatcherProcess process_;
  std::string word_;
  bool gone_ = false;
  bool let_go_ = false;
  std::optional<TimePoint> kept_until_;
};

}  // namespace interlock::cli
