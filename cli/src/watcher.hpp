// The program's end of the watcher of its command.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "interlock/vocabulary.hpp"
#include "signals.hpp"
#include "watch.hpp"
#include "watch_messages.hpp"
#include "watcher_process.hpp"

namespace interlock::cli {

// One per command. Should the watcher itself be killed, the command's own process is killed with
// it, and the rest comes to this process, which is its subreaper: end_orphans().
class Watcher {
 public:
  // Call it before the program has threads or a store: see WatcherProcess::begin. `signals` must
  // outlive the Watcher. Fails with 71.
  static Outcome<Watcher> begin(const WatchedCommand& command, Signals& signals);

  Watcher(Watcher&& other) = default;
  Watcher& operator=(Watcher&&) = delete;
  // Ends everything that is left, unless it was let go.
  ~Watcher();

  // Starts the command, with this added to its environment, and gives its process id. Once. Fails
  // with 127 (no such command), 126 (not executable) or 71; then nothing runs.
  Outcome<pid_t> start(const std::vector<std::pair<std::string, std::string>>& environment);

  // Unless told of a later moment, the watcher ends everything then, although this process is
  // stopped or slow. None: never.
  void keep_until(std::optional<TimePoint> until);
  // To the command and what is in its process group, or to everything if it has ended; not if one
  // of these was the sender.
  void pass_on(int signal, pid_t sender);
  // To everything, awake or stopped.
  void tell_all(int signal);
  // Kills everything until nothing is left.
  void end();
  // Nothing of the command is to be ended any more.
  void let_go();

  pid_t pid() const noexcept { return process_.pid(); }

  // Readable when take() has something to give.
  int descriptor() const noexcept { return process_.channel(); }
  std::vector<Report> take();
  // It has ended. After a report `over`, as it should; else it was killed.
  bool gone() const noexcept { return gone_; }
  // It may have been stopped: to be called when a child has changed.
  void tend() noexcept;
  // If it was killed: kills what it was to watch over, until nothing is left or a second has
  // passed. Gives what is left.
  std::vector<Report> end_orphans();

 private:
  Watcher(WatcherProcess process, std::string word)
      : process_(std::move(process)), word_(std::move(word)) {}
  std::optional<Report> receive();
  Failure not_started_text(int error) const;
  void order(Order::Kind kind, int signal = 0, pid_t sender = 0);

  WatcherProcess process_;
  std::string word_;
  bool gone_ = false;
  bool let_go_ = false;
  std::optional<TimePoint> kept_until_;
};

}  // namespace interlock::cli
