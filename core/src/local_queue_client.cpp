// How a caller gets the lock through its local queue, and gives it back.
#include <utility>

#include "deadline.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/local_queue.hpp"

namespace interlock {

using Turn = LocalWaiter::Turn;

Task<Result<AcquireOutcome>> LocalQueueClient::acquire(std::shared_ptr<LocalWaiter> waiter,
                                                       LockName name,
                                                       AcquireOptions options) {
  queues_.join(name, waiter, time_.now());
  if (const auto taken = std::exchange(waiter->taken_, nullptr)) {
    using Fate = KeptGrant::Fate;
    taken->on_taken(waiter->gives_back_ ? Fate::is_released : Fate::goes_on);
  }
  const bool asks_at_once = queues_.turn_of(*waiter) == Turn::leads && !waiter->gives_back_;
  if (asks_at_once) co_return co_await lead(waiter, name, options);
  co_return co_await wait_for_turn(waiter, name, options);
}

// Apart from acquire(), because most callers need not wait, and a frame has room for all that its
// coroutine may ever await.
Task<Result<AcquireOutcome>> LocalQueueClient::wait_for_turn(std::shared_ptr<LocalWaiter> waiter,
                                                             LockName name,
                                                             AcquireOptions options) {
  const TimePoint began = time_.now();
  TimePoint deadline = TimePoint::max();
  if (options.wait) deadline = instant_after(began, *options.wait);
  const auto rest_of_wait = [&] { return time_until(deadline, time_.now()); };
  if (waiter->gives_back_) {
    const Lease lease = *std::exchange(waiter->gives_back_, std::nullopt);
    // A failed release is ignored, because the key expires.
    static_cast<void>(co_await waiter->release_at_store(lease));
  }
  const bool may_wait = !options.wait || *options.wait > Duration::zero();
  if (may_wait && queues_.turn_of(*waiter) == Turn::waits) waiter->on_wait();
  for (;;) {
    const Turn turn = queues_.turn_of(*waiter);
    if (turn == Turn::leads) {
      if (options.wait) options.wait = rest_of_wait();
      co_return co_await lead(waiter, name, options);
    }
    if (turn == Turn::holds) {
      const Lease lease = *waiter->lease_;
      if (lease.state(time_.now()) == LeaseState::held) co_return AcquireOutcome(lease);
      // The caller woke too late to begin with this lease. A failed release is ignored, because the
      // key expires.
      static_cast<void>(co_await waiter->release_at_store(lease));
      queues_.requeue_first(lease, waiter);
      continue;
    }
    if (!waiter->cancelled() && rest_of_wait() > Duration::zero()) {
      co_await rest(waiter, deadline);
      continue;
    }
    if (!queues_.leave(name, *waiter)) continue;
    if (waiter->cancelled()) co_return Error(Errc::cancelled, "the wait was cancelled");
    options.wait = Duration::zero();
    co_return co_await waiter->acquire_at_store(name, options);
  }
}

Task<Result<AcquireOutcome>> LocalQueueClient::lead(std::shared_ptr<LocalWaiter> waiter,
                                                    LockName name,
                                                    AcquireOptions options) {
  if (waiter->cancelled()) {
    notify(queues_.got_nothing(name));
    co_return Error(Errc::cancelled, "the wait was cancelled");
  }
  Result<AcquireOutcome> outcome = co_await waiter->acquire_at_store(name, options);
  if (const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
    notify(queues_.granted(*lease, *waiter, time_.now()));
  } else {
    notify(queues_.got_nothing(name));
  }
  co_return outcome;
}

Task<void> LocalQueueClient::rest(std::shared_ptr<LocalWaiter> waiter, TimePoint until) {
  TimeSource::SleepAwaiter nap = time_.sleep_until(until);
  const Cancellation::Waiting waiting(waiter->cancellation_, [&] { time_.wake(nap); });
  waiter->rest_ = &nap;
  co_await nap;
  waiter->rest_ = nullptr;
}

void LocalQueueClient::notify(const LocalQueues::Next& next) {
  if (next) next->notify();
}

Task<Result<ReleaseOutcome>> LocalQueueClient::release(std::shared_ptr<LocalWaiter> waiter,
                                                       Lease lease) {
  const LocalQueues::HandedOver next = queues_.hand_over(lease, time_.now());
  notify(next.holds);
  notify(next.leads);
  if (next.holds) co_return ReleaseOutcome::released;
  Result<ReleaseOutcome> outcome = co_await waiter->release_at_store(lease);
  // After the release and not before: the new leader would find the lock held, and queue up.
  notify(queues_.pass_on(lease, LocalQueues::Section::over));
  co_return outcome;
}

}  // namespace interlock
