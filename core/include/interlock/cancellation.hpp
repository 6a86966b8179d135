// With a Cancellation, a caller tells a waiting coroutine to give up, or to check its condition
// again.
#pragma once

#include <functional>
#include <utility>

#include "interlock/detail/assert.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Belongs to the thread that runs the coroutine: call every function on it. (A Client posts the
// requests of other threads to its loop.)
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  bool requested() const noexcept { return requested_; }

  // Wakes the waiting task, which then gives up. Further requests have no effect.
  void request() {
    if (std::exchange(requested_, true)) return;
    if (const auto wake = std::exchange(wake_, nullptr)) wake();
  }

  // Wakes the waiting task, so that it asks the store again. A release may have offered the lock to
  // a waiter that does not answer; a Client calls this when that offer has ended. Has no effect if
  // no task waits.
  void rouse() {
    if (const auto wake = std::exchange(wake_, nullptr)) wake();
  }

  // While this object lives, the first request() or rouse() calls `wake`, once. A Cancellation has
  // at most one of these at a time. If the request came before, `wake` is not called: check
  // requested() after making this object and before waiting. `wake` must not throw. Null
  // `cancellation`: this object does nothing.
  class Waiting {
   public:
    Waiting(Cancellation* cancellation, std::function<void()> wake) : cancellation_(cancellation) {
      if (cancellation_ == nullptr) return;
      INTERLOCK_ASSERT(cancellation_->wake_ == nullptr);
      cancellation_->wake_ = std::move(wake);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
      if (cancellation_ != nullptr) cancellation_->wake_ = nullptr;
    }

   private:
    Cancellation* cancellation_;
  };

 private:
  bool requested_ = false;
  std::function<void()> wake_;
};

}  // namespace interlock

#pragma GCC visibility pop
