// For functions that std::bad_alloc may leave early, and whose other callers would then wait for
// ever.
#pragma once

#include <utility>

namespace interlock {

// Calls `undo` when it is destroyed, unless has_ended() was called before. `undo` must not throw:
// the process would end.
template <class Undo>
class OnEarlyExit {
 public:
  explicit OnEarlyExit(Undo undo) : undo_(std::move(undo)) {}
  ~OnEarlyExit() {
    if (!has_ended_) undo_();
  }
  OnEarlyExit(const OnEarlyExit&) = delete;
  OnEarlyExit& operator=(const OnEarlyExit&) = delete;
  void has_ended() noexcept { has_ended_ = true; }

 private:
  Undo undo_;
  bool has_ended_ = false;
};

}  // namespace interlock
