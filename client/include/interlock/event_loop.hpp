// What waits for descriptors, timers and posted jobs: a thread, or the event loop of the program.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "interlock/error.hpp"
#include "interlock/store/reactor.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Starts its thread at once, with all signals blocked, so that the program's own threads get them.
// Timers use the local clock, to the microsecond, and fire after a suspend as soon as the machine
// is back. Any thread may call post(), spawn() and on_loop_thread(); everything else belongs to the
// loop's own thread. A job that throws ends the process, and so does an empty function that is
// given to post(), timer() or watch(), at once. In a child of fork() the loop does nothing: posted
// jobs do not run, and the destructor returns at once.
class EventLoop final : public Reactor, public TimeSource {
 public:
  // `unavailable`: the system has no descriptor or no thread left.
  static Result<std::unique_ptr<EventLoop>> open();
  // As open(), but throws LockFailure.
  EventLoop();
  // The same without a thread: turn() runs it. The thread that calls this is the loop's until
  // another one calls turn().
  static Result<std::unique_ptr<EventLoop>> open_without_thread();
  // Runs the jobs that were posted before, then ends the thread. Every watch, armed timer and sleep
  // must be gone, and it must not run on the loop's own thread: else the process ends with a
  // message. A loop without a thread runs no jobs then.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  bool on_loop_thread() const noexcept;  // whether the caller is on the loop's thread

  // Runs `task` on the loop's thread, and calls `done` there when it has ended, with the exception
  // that it threw, or null. Any thread.
  void spawn(Task<void> task, std::function<void(std::exception_ptr thrown)> done);

  // --- without a thread --------------------------------------------------------------------------
  // The program's own event loop waits until descriptor() is readable, and then calls turn(), which
  // never waits. That is all it has to do: timers and jobs of other threads make it readable, too.
  // It stays readable until turn() has run what there is: wait level triggered, as poll does. It
  // stays the loop's: stop to wait for it before the loop is destroyed, and in a child of fork().
  int descriptor() const noexcept;
  // One thread at a time, which is the loop's from then on. May be called in a callback that it
  // calls. But a turn inside a callback of a client gets no answer of its Redis store. It has no
  // effect on a loop with a thread, nor in a child of fork().
  void turn() noexcept;
  // For programs that have nothing else to wait for: turns, and waits in between, until
  // `ended()`. Also notices within 10 ms what other threads have done to that. False: `limit` has
  // passed. On a loop with a thread it waits without turning.
  bool turn_until(const std::function<bool()>& ended, std::optional<Duration> limit = std::nullopt);
  bool has_thread() const noexcept;
  // Whether the caller is called by the loop: a job, a callback, a task. Any thread.
  bool in_turn() const noexcept;

  Result<std::unique_ptr<Watch>> watch(
      int descriptor, std::function<void(bool readable, bool writable)> ready) override;
  std::unique_ptr<Timer> timer(std::function<void()> fired) override;
  void post(std::function<void()> job) override;

  TimePoint now() override;
  bool park(PendingSleep& sleep) override;
  void wake(PendingSleep& sleep) override;

 private:
  enum class Turned : bool { by_its_thread, by_the_program };
  class Loop;
  class DescriptorWatch;
  static Result<std::unique_ptr<EventLoop>> open_as(Turned turned);
  explicit EventLoop(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace interlock

#pragma GCC visibility pop
