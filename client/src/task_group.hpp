// The tasks that a client has started on its loop, and waits for before it ends.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "interlock/event_loop.hpp"
#include "interlock/task.hpp"

namespace interlock {

// Any thread: its own mutex guards the count. The loop runs for as long as a task goes on.
class TaskGroup {
 public:
  explicit TaskGroup(EventLoop& loop) : loop_(loop) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // `at_end` is called on the loop's thread, while the task still counts, with what it threw, or
  // null. Without it a task that throws ends the process: memory ran out, and a lease may be left
  // that nobody renews. Throws std::bad_alloc: the task does not run.
  using AtEnd = std::function<void(const std::exception_ptr& thrown)>;
  void spawn(Task<void> task, AtEnd at_end = nullptr);

  // How many go on.
  int running() const;
  // These turn the loop if it has no thread.
  void wait();
  // False: some still go on.
  bool wait_for(Duration limit);
  EventLoop& loop() const noexcept { return loop_; }

 private:
  void has_ended();

  EventLoop& loop_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;  // under the mutex
};

}  // namespace interlock
