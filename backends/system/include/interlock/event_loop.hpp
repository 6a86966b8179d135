// One thread that waits for descriptors, timers and posted jobs, over libuv.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "interlock/reactor.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

// Starts its thread at once, with all signals blocked, so that they stay with the program's own
// threads. Timers are of the local clock, to the microsecond, and fire after a suspend as soon as
// the machine is back. post() and on_loop_thread() may be called from any thread, everything else
// on the loop's own.
class EventLoop final : public Reactor, public TimeSource {
 public:
  EventLoop();
  // Runs what was posted before, then ends the thread. Every watch, timer and sleep must be gone.
  // Not from the loop's own thread.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  bool on_loop_thread() const noexcept;

  // Runs `task` on the loop's thread. `done` is called there when it has ended, with what it threw,
  // or null. Any thread.
  void spawn(Task<void> task, std::function<void(std::exception_ptr thrown)> done);

  std::unique_ptr<Watch> watch(int descriptor,
                               std::function<void(bool readable, bool writable)> ready) override;
  std::unique_ptr<Timer> timer(std::function<void()> fired) override;
  void post(std::function<void()> job) override;

  TimePoint now() override;
  bool park(PendingSleep& sleep) override;
  void wake(PendingSleep& sleep) override;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace interlock
