// Threads that no signal is delivered to, so that signals stay with the program's own threads.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>

#include "interlock/error.hpp"

namespace interlock::posix {

// Blocks all signals on this thread while it lives.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A thread that runs `body` with all signals blocked. `unavailable`: the system gives none; nothing
// was run, and the caller's signals are as they were.
Result<std::thread> quiet_thread(std::function<void()> body);

}  // namespace interlock::posix
