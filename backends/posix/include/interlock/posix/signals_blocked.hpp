// Threads to which no signal is delivered, so that the program's own threads get the signals.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>

#include "interlock/error.hpp"

#pragma GCC visibility push(default)

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

// A thread that runs `body` with all signals blocked. `unavailable`: the system refuses a thread;
// nothing was run, and the caller's signals are as they were.
Result<std::thread> thread_with_signals_blocked(std::function<void()> body);

}  // namespace interlock::posix

#pragma GCC visibility pop
