#include "task_group.hpp"

#include <utility>

namespace interlock {

void TaskGroup::spawn(Task<void> task, AtEnd at_end) {
  {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  try {
    loop_.spawn(std::move(task),
                [this, at_end = std::move(at_end)](const std::exception_ptr& thrown) {
                  if (thrown && !at_end) std::terminate();
                  if (at_end) at_end(thrown);
                  has_ended();
                });
  } catch (...) {
    has_ended();
    throw;
  }
}

void TaskGroup::has_ended() {
  // Notifies under the lock, because the group may be gone as soon as the mutex is free.
  const std::lock_guard lock(mutex_);
  --running_;
  ended_.notify_all();
}

int TaskGroup::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

void TaskGroup::wait() {
  if (!loop_.has_thread()) static_cast<void>(loop_.turn_until([this] { return running() == 0; }));
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return running_ == 0; });
}

bool TaskGroup::wait_for(Duration limit) {
  if (!loop_.has_thread()) return loop_.turn_until([this] { return running() == 0; }, limit);
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, limit, [&] { return running_ == 0; });
}

}  // namespace interlock
