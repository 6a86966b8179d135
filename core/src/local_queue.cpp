#include "interlock/local_queue.hpp"

#include <algorithm>

#include "deadline.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/detail/ranges.hpp"

namespace interlock {

using Turn = LocalWaiter::Turn;

std::optional<Error> HandOverPolicy::wrong() const {
  constexpr std::int64_t most_sections = 1'000'000;
  return detail::Ranges("HandOverPolicy")
      .number("sections", sections, 1, most_sections)
      .duration("within", within, Duration::zero())
      .number("lease_percent", lease_percent, 0, lease_percent_max)
      .error();
}

// --- the queues ----------------------------------------------------------------------------------

class LocalQueues::Locked {
 public:
  explicit Locked(const LocalQueues& queues) : mutex_(queues.mutex_) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~Locked() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  LocalQueueMutex* const mutex_;
};

LocalQueues::LocalQueues(HandOverPolicy policy, LocalQueueMutex* mutex)
    : policy_(policy), mutex_(mutex) {
  if (const auto error = policy.wrong()) detail::misused(error->detail());
}

void LocalQueues::join(const LockName& name, std::shared_ptr<LocalWaiter> waiter) {
  const Locked locked(*this);
  const auto [at, is_new] = queues_.try_emplace(name);
  if (is_new) {
    waiter->turn_ = Turn::leads;
    return;
  }
  LocalQueue& queue = at->second;
  queue.waiting.push_back(std::move(waiter));
  // move_on() returns null here, because no other caller waits.
  if (queue.held && !another_may_follow(queue)) static_cast<void>(move_on(at, Section::goes_on));
}

Turn LocalQueues::turn_of(const LocalWaiter& waiter) const {
  const Locked locked(*this);
  return waiter.turn_;
}

bool LocalQueues::leave(const LockName& name, const LocalWaiter& waiter) {
  const Locked locked(*this);
  if (waiter.turn_ != Turn::waits) return false;
  std::erase_if(queues_.at(name).waiting,
                [&](const auto& other) { return other.get() == &waiter; });
  return true;
}

LocalQueues::Next LocalQueues::granted(const Lease& lease, LocalWaiter& leader, TimePoint now) {
  const Locked locked(*this);
  const auto at = queues_.find(lease.name());
  LocalQueue& queue = at->second;
  const Duration lifetime = lease.certain_until() - lease.sent();
  queue.hand_over_until =
      std::min(lease.sent() + lifetime / 100 * policy_.lease_percent, now + policy_.within);
  queue.left = lease.reserved() - 1;
  const auto waiting = static_cast<std::int64_t>(queue.waiting.size());
  if (lease.others_queue()) queue.left = std::min(queue.left, waiting);
  return begin(at, lease, leader);
}

LocalQueues::HandedOver LocalQueues::hand_over(const Lease& over, TimePoint now) {
  const Locked locked(*this);
  HandedOver next;
  const auto at = queues_.find(over.name());
  if (at == queues_.end() || !holds(at->second, over)) return next;
  LocalQueue& queue = at->second;
  const bool in_time = now < queue.hand_over_until;
  if (!in_time || queue.waiting.empty() || !another_may_follow(queue)) return next;
  next.holds = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  --queue.left;
  next.holds->lease_ = over.next();
  next.leads = begin(at, *next.holds->lease_, *next.holds);
  return next;
}

LocalQueues::Next LocalQueues::pass_on(const Lease& held, Section section) {
  const Locked locked(*this);
  const auto at = queues_.find(held.name());
  return at != queues_.end() && holds(at->second, held) ? move_on(at, section) : nullptr;
}

LocalQueues::Next LocalQueues::got_nothing(const LockName& name) {
  const Locked locked(*this);
  return move_on(queues_.find(name), Section::over);
}

std::int64_t LocalQueues::sections_left(const LockName& name) const {
  const Locked locked(*this);
  const auto at = queues_.find(name);
  return at != queues_.end() && at->second.held ? at->second.left : 0;
}

void LocalQueues::requeue_first(const Lease& released, const std::shared_ptr<LocalWaiter>& waiter) {
  const Locked locked(*this);
  const auto [at, is_new] = queues_.try_emplace(released.name());
  LocalQueue& queue = at->second;
  waiter->lease_.reset();
  if (is_new || holds(queue, released)) {
    queue.held.reset();
    waiter->turn_ = Turn::leads;
    waiter->finds_it_held_ = false;
  } else {
    waiter->turn_ = Turn::waits;
    queue.waiting.push_front(waiter);
  }
}

bool LocalQueues::holds(const LocalQueue& queue, const Lease& lease) {
  return queue.held && queue.held->owner() == lease.owner() &&
         queue.held->fencing() == lease.fencing();
}

// The grant has one ttl at the store, and the first in its queue is never passed over.
bool LocalQueues::another_may_follow(const LocalQueue& queue) {
  const bool same_ttl = queue.waiting.empty() || queue.waiting.front()->ttl_ == queue.held->ttl();
  return queue.left > 0 && same_ttl;
}

LocalQueues::Next LocalQueues::begin(Queues::iterator at, const Lease& lease, LocalWaiter& holder) {
  LocalQueue& queue = at->second;
  queue.held = lease;
  holder.turn_ = Turn::holds;
  holder.hand_over_until_ = queue.hand_over_until;
  return another_may_follow(queue) ? nullptr : move_on(at, Section::goes_on);
}

LocalQueues::Next LocalQueues::move_on(Queues::iterator at, Section section) {
  LocalQueue& queue = at->second;
  if (queue.waiting.empty()) {
    queues_.erase(at);
    return nullptr;
  }
  queue.held.reset();
  Next next = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  next->turn_ = Turn::leads;
  next->finds_it_held_ = section == Section::goes_on;
  return next;
}

// --- acquire and release -------------------------------------------------------------------------

Task<Result<AcquireOutcome>> LocalQueueClient::acquire(std::shared_ptr<LocalWaiter> waiter,
                                                       LockName name,
                                                       AcquireOptions options) {
  const TimePoint began = time_.now();
  TimePoint deadline = TimePoint::max();
  if (options.wait) deadline = instant_after(began, *options.wait);
  const auto rest_of_wait = [&] { return time_until(deadline, time_.now()); };
  queues_.join(name, waiter);
  if (queues_.turn_of(*waiter) == Turn::waits) waiter->on_wait();
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
