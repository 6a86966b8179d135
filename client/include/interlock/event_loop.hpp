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

// Starts its thread at once, with all signals blocked, so that the program's own threads get them.
// Timers use the local clock, to the microsecond, and fire after a suspend as soon as the machine
// is back. Any thread may call post(), spawn() and on_loop_thread(); everything else belongs to the
// loop's own thread. A job that throws ends the process. In a child of fork() the loop does
// nothing: posted jobs do not run, and the destructor returns at once.
class EventLoop final : public Reactor, public TimeSource {
 public:
  // `unavailable`: the system has no descriptor or no thread left.
  static Result<std::unique_ptr<EventLoop>> open();
  // As open(), but throws LockFailure.
  EventLoop();
  // Runs the jobs that were posted before, then ends the thread. Every watch, timer and sleep must
  // be gone, and it must not run on the loop's own thread: else the process ends with a message.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  bool on_loop_thread() const noexcept;  // whether the caller is on the loop's thread

  // Runs `task` on the loop's thread, and calls `done` there when it has ended, with the exception
  // that it threw, or null. Any thread.
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
