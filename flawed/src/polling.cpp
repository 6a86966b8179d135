#include "interlock/flawed/polling.hpp"

namespace interlock::flawed {

Task<Result<AcquireOutcome>> acquire_by_polling(
    LockProtocol* lock, TimeSource* time, LockName name, OwnerToken owner, Ttl ttl, Polling how) {
  const TimePoint began = how.wait && !how.counts_down ? time->now() : TimePoint();
  Duration left = how.wait.value_or(Duration{0});
  for (int tried = 1;; ++tried) {
    Result<AcquireOutcome> outcome = co_await lock->try_acquire(name, owner, ttl);
    if (!outcome || std::holds_alternative<Lease>(*outcome)) co_return outcome;
    if (how.attempts > 0 && tried >= how.attempts) co_return outcome;
    if (how.wait && how.counts_down) left -= how.pause;
    if (how.wait && !how.counts_down) left = *how.wait - (time->now() - began);
    if (how.wait && left <= Duration::zero()) co_return outcome;
    if (how.pause > Duration::zero()) co_await time->sleep_until(time->now() + how.pause);
  }
}

}  // namespace interlock::flawed
