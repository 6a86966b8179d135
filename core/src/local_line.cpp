#include "interlock/local_line.hpp"

#include <algorithm>

#include "deadline.hpp"
#include "interlock/detail/assert.hpp"

namespace interlock {

using Turn = LineWaiter::Turn;

// --- the lines -----------------------------------------------------------------------------------

void LocalLines::join(const LockName& name, std::shared_ptr<LineWaiter> waiter) {
  const auto [line, is_new] = lines_.try_emplace(name);
  if (is_new) {
    waiter->turn_ = Turn::leads;
  } else {
    line->second.waiting.push_back(std::move(waiter));
  }
}

Turn LocalLines::turn_of(const LineWaiter& waiter) {
  return waiter.turn_;
}

bool LocalLines::leave(const LockName& name, const LineWaiter& waiter) {
  if (waiter.turn_ != Turn::waits) return false;
  std::erase_if(lines_.at(name).waiting, [&](const auto& other) { return other.get() == &waiter; });
  return true;
}

void LocalLines::granted(const Lease& lease, LineWaiter& leader, TimePoint now) {
  Line& line = lines_.at(lease.name());
  const Duration lifetime = lease.certain_until() - lease.sent();
  line.hand_over_until =
      std::min(lease.sent() + lifetime / 100 * policy_.lease_percent, now + policy_.within);
  line.alone = lease.reserved() > policy_.sections;
  line.held = lease;
  leader.turn_ = Turn::holds;
}

LocalLines::Called LocalLines::hand_over(const Lease& over, TimePoint now) {
  Line& line = lines_.at(over.name());
  INTERLOCK_ASSERT(line.held && line.held->fencing() == over.fencing());
  if (line.waiting.empty() || !line.held->has_next()) return nullptr;
  // The store knows one ttl, and the first in line is never passed over.
  if (now >= line.hand_over_until || line.waiting.front()->ttl_ != over.ttl()) return nullptr;
  Called next = std::move(line.waiting.front());
  line.waiting.pop_front();
  line.held = line.held->next();
  next->lease_ = line.held;
  next->turn_ = Turn::holds;
  return next;
}

LocalLines::Called LocalLines::pass_on_early(const LockName& name) {
  const bool somebody = !lines_.at(name).waiting.empty();
  return LocalLines::was_alone(name) && somebody ? LocalLines::pass_on(name) : nullptr;
}

bool LocalLines::was_alone(const LockName& name) const {
  const auto line = lines_.find(name);
  return line != lines_.end() && line->second.alone;
}

LocalLines::Called LocalLines::pass_on(const LockName& name) {
  const auto at = lines_.find(name);
  Line& line = at->second;
  if (line.waiting.empty()) {
    lines_.erase(at);
    return nullptr;
  }
  Called next = std::move(line.waiting.front());
  line.waiting.pop_front();
  line.held.reset();
  next->turn_ = Turn::leads;
  return next;
}

void LocalLines::lead(const LockName& name, LineWaiter& waiter) {
  lines_.at(name).held.reset();
  waiter.turn_ = Turn::leads;
}

// --- acquire and release -------------------------------------------------------------------------

Task<Result<AcquireOutcome>> LineClient::acquire(std::shared_ptr<LineWaiter> waiter,
                                                 LockName name,
                                                 AcquireOptions options) {
  const TimePoint began = time_.now();
  TimePoint deadline = TimePoint::max();
  if (options.wait) deadline = instant_after(began, *options.wait);
  const auto rest_of_wait = [&] { return time_until(deadline, time_.now()); };
  lines_.join(name, waiter);
  if (lines_.turn_of(*waiter) == Turn::waits) waiter->waits();
  for (;;) {
    const Turn turn = lines_.turn_of(*waiter);
    if (turn == Turn::leads) {
      if (options.wait) options.wait = rest_of_wait();
      co_return co_await lead(waiter, name, options);
    }
    if (turn == Turn::holds) {
      const Lease lease = *waiter->lease_;
      if (lease.state(time_.now()) == LeaseState::held) co_return AcquireOutcome(lease);
      // It slept too long to begin with this. Whether the store has been told or not: the key ends.
      static_cast<void>(co_await waiter->give_back(lease));
      lines_.lead(name, *waiter);
      continue;
    }
    if (!waiter->cancelled() && rest_of_wait() > Duration::zero()) {
      co_await rest(waiter, deadline);
      continue;
    }
    if (!lines_.leave(name, *waiter)) continue;
    if (waiter->cancelled()) co_return Error(Errc::cancelled, "the wait was cancelled");
    options.wait = Duration::zero();
    co_return co_await waiter->ask(name, options);
  }
}

Task<Result<AcquireOutcome>> LineClient::lead(std::shared_ptr<LineWaiter> waiter,
                                              LockName name,
                                              AcquireOptions options) {
  if (waiter->cancelled()) {
    pass_on(name);
    co_return Error(Errc::cancelled, "the wait was cancelled");
  }
  Result<AcquireOutcome> outcome = co_await waiter->ask(name, options);
  if (const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
    lines_.granted(*lease, *waiter, time_.now());
  } else {
    pass_on(name);
  }
  co_return outcome;
}

Task<void> LineClient::rest(std::shared_ptr<LineWaiter> waiter, TimePoint until) {
  TimeSource::SleepAwaiter nap = time_.sleep_until(until);
  const Cancellation::Waiting waiting(waiter->cancellation_, [&] { time_.wake(nap); });
  waiter->rest_ = &nap;
  co_await nap;
  waiter->rest_ = nullptr;
}

void LineClient::pass_on(const LockName& name) {
  if (const LocalLines::Called next = lines_.pass_on(name)) next->call();
}

Task<Result<ReleaseOutcome>> LineClient::release(std::shared_ptr<LineWaiter> waiter, Lease lease) {
  if (const LocalLines::Called next = lines_.hand_over(lease, time_.now())) {
    next->call();
    co_return ReleaseOutcome::released;
  }
  const LocalLines::Called early = lines_.pass_on_early(lease.name());
  if (early) early->call();
  Result<ReleaseOutcome> outcome = co_await waiter->give_back(lease);
  if (early) co_return outcome;
  // Not before: who leads would find the lock held, and queue up.
  pass_on(lease.name());
  co_return outcome;
}

}  // namespace interlock
