// A small process beside the program that goes on if the program is killed.
#pragma once

#include <sys/types.h>

#include <functional>
#include <initializer_list>

#include "console/failure.hpp"

namespace interlock::cli {

class WatcherProcess {
 public:
  // Starts the process, which runs `work` with its end of a channel of packets, and ends. When the
  // channel ends, the other process has gone. The process is in a group of its own, so that neither
  // the terminal's keys nor a signal to the program's group reach it; signals that were blocked
  // stay so. Call it before the program has threads, and before it opens anything that its end must
  // close. Fails with 71.
  static Fallible<WatcherProcess> begin(const std::function<void(int channel)>& work);

  WatcherProcess(WatcherProcess&& other) noexcept;
  WatcherProcess& operator=(WatcherProcess&&) = delete;
  // Closes the channel, so that the process ends, and waits for its end.
  ~WatcherProcess();

  int channel() const noexcept { return channel_; }
  pid_t pid() const noexcept { return pid_; }
  // Continues the process if it was stopped: no other process would.
  void continue_if_stopped() const noexcept;
  // Only after the process has ended.
  void reap() noexcept;

 private:
  WatcherProcess(pid_t pid, int channel) : pid_(pid), channel_(channel) {}
  pid_t pid_;  // 0: reaped, or moved from
  int channel_;
};

// For the process itself: closes all descriptors but these and standard error.
void close_all_but(std::initializer_list<int> descriptors) noexcept;

}  // namespace interlock::cli
