#include "waiting_thread.hpp"

#include <algorithm>

#include "interlock/local_clock.hpp"

namespace interlock {

bool WaitingThread::park(PendingSleep& sleep) {
  // A condition's clock stands still while the machine sleeps; the local clock does not.
  constexpr Duration looks_after = std::chrono::seconds{1};
  std::unique_lock lock(mutex_);
  while (!was_called_) {
    if (sleep.until() == TimePoint::max()) {
      called_.wait(lock);
      continue;
    }
    const Duration rest = sleep.until() - local_now();
    if (rest <= Duration::zero()) break;
    called_.wait_for(lock, std::min(rest, looks_after));
  }
  was_called_ = false;
  return false;
}

void WaitingThread::notify() {
  // Under the lock: the object goes with the waiter, who may see the flag at once.
  const std::lock_guard lock(mutex_);
  was_called_ = true;
  called_.notify_one();
}

}  // namespace interlock
