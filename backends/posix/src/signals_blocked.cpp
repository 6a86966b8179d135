#include "interlock/posix/signals_blocked.hpp"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "interlock/posix/failure.hpp"

namespace interlock::posix {

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Result<std::thread> thread_with_signals_blocked(std::function<void()> body) {
  // A thread begins with the mask of the one that made it.
  const SignalsBlocked meanwhile;
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    return failure("cannot start a thread", error.code().value());
  }
}

}  // namespace interlock::posix
