// What a coroutine waits in.
#pragma once

namespace interlock::detail {

// A part of the coroutine's frame, to which a store or a clock keeps a pointer until it has an
// answer: the base of operations, sleeps and steps. Who must not be left with that pointer when a
// task is destroyed while it waits can ask to be told.
class Pending {
 public:
  class Watcher {
   public:
    // From the destructor: nothing of `pending` can be used any more but its address.
    virtual void gone(const Pending& pending) noexcept = 0;

   protected:
    ~Watcher() = default;
  };

  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  // Nobody: null, as it is at first. The watcher must outlive this, or take itself away.
  void watched_by(Watcher* watcher) noexcept { watcher_ = watcher; }

 protected:
  Pending() = default;
  ~Pending() {
    if (watcher_ != nullptr) watcher_->gone(*this);
  }

 private:
  Watcher* watcher_ = nullptr;
};

}  // namespace interlock::detail
