// One thread that waits for descriptors, timers and posted jobs.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "interlock/error.hpp"
#include "interlock/store/reactor.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

// Starts its thread at once, with all signals blocked, so that they stay with the program's own
// threads. Timers are of the local clock, to the microsecond, and fire after a suspend as soon as
// the machine is back. post(), spawn() and on_loop_thread() may be called from any thread,
// everything else on the loop's own. A job that throws ends the process. In a child of fork() it
// does nothing: what is posted is not run, and its destructor returns at once.
class EventLoop final : public Reactor, public TimeSource {
 public:
  // `unavailable`: the system has no descriptor or no thread left for it.
  static Result<std::unique_ptr<EventLoop>> open();
  // The same; throws LockFailure.
  EventLoop();
  // Runs what was posted before, then ends the thread. Every watch, timer and sleep must be gone,
  // and it must not be the loop's own thread: else the process ends with a message.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  bool on_loop_thread() const noexcept;

  // Runs `task` on the loop's thread. `done` is called there when it has ended, with what it threw,
  // or null. Any thread.
  void spawn(Task<void> task, std::function<void(std::exception_ptr thrown)> done);

  Result<std::unique_ptr<Watch>> watch(
      int descriptor, std::function<void(bool readable, bool writable)> ready) override;
  std::unique_ptr<Timer> timer(std::function<void()> fired) override;
  void post(std::function<void()> job) override;

  TimePoint now() override;
  bool park(PendingSleep& sleep) override;
  void wake(PendingSleep& sleep) override;

 private:
  class Loop;
  class DescriptorWatch;
  explicit EventLoop(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace interlock
