#include "interlock/mutex.hpp"

#include <algorithm>

#include "interlock/detail/assert.hpp"

namespace interlock {

Mutex::Mutex(Client& client, LockName name, LockOptions options)
    : client_(client), name_(std::move(name)), options_(std::move(options)) {}

void Mutex::lock() {
  acquire(std::nullopt);
}

bool Mutex::try_lock() {
  return acquire(Duration::zero());
}

Guard& Mutex::guard() {
  if (!guard_) detail::misused("Mutex::guard() of a mutex that nobody holds: call lock() first");
  return *guard_;
}

bool Mutex::acquire(std::optional<Duration> wait) {
  LockOptions options = options_;
  options.wait = wait ? std::optional(std::max(*wait, Duration::zero())) : std::nullopt;
  AcquireResult result = client_.acquire(name_, std::move(options));
  if (const Error* error = result.error()) throw LockFailure(*error);
  if (!result) return false;
  const std::lock_guard lock(handing_over_);
  guard_.emplace(*std::move(result));
  return true;
}

void Mutex::unlock() noexcept {
  // Its parent holds it, and some thread of its may have held handing_over_ at the fork.
  if (client_.in_child()) return;
  std::optional<Guard> ending;
  {
    const std::lock_guard lock(handing_over_);
    ending.swap(guard_);
  }
  // The guard's destructor releases and tells; by then the next holder may use guard_.
}

}  // namespace interlock
