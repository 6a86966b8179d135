// How a caller tells a waiting coroutine that it has given up, or only that it is to look again.
#pragma once

#include <functional>
#include <utility>

#include "interlock/detail/assert.hpp"

namespace interlock {

// Belongs to the thread that runs the coroutine; a loop brings requests from other threads there.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  bool requested() const noexcept { return requested_; }

  // Wakes the task that waits. Further requests have no effect.
  void request() {
    if (std::exchange(requested_, true)) return;
    if (const auto wake = std::exchange(wake_, nullptr)) wake();
  }

  // Wakes the task that waits, so that it asks whether it must wait on. None waits: no effect.
  void rouse() {
    if (const auto wake = std::exchange(wake_, nullptr)) wake();
  }

  // While it lives, request() and rouse() call `wake`, once; one at a time. If the request has
  // already come, nothing is called: ask requested() after making one and before waiting.
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
