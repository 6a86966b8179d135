#include "interlock/local_line.hpp"

#include <algorithm>

#include "deadline.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/detail/ranges.hpp"

namespace interlock {

using Turn = LineWaiter::Turn;

std::optional<Error> HandOverPolicy::wrong() const {
  constexpr std::int64_t most_sections = 1'000'000;
  return detail::Ranges("HandOverPolicy")
      .number("sections", sections, 1, most_sections)
      .duration("within", within, Duration::zero())
      .number("lease_percent", lease_percent, 0, lease_percent_max)
      .error();
}

// --- the lines -----------------------------------------------------------------------------------

class LocalLines::Locked {
 public:
  explicit Locked(const LocalLines& lines) : mutex_(lines.mutex_) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~Locked() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  LineMutex* const mutex_;
};

LocalLines::LocalLines(HandOverPolicy policy, LineMutex* mutex) : policy_(policy), mutex_(mutex) {
  if (const auto error = policy.wrong()) detail::misused(error->detail());
}

void LocalLines::join(const LockName& name, std::shared_ptr<LineWaiter> waiter) {
  const Locked locked(*this);
  const auto [at, is_new] = lines_.try_emplace(name);
  if (is_new) {
    waiter->turn_ = Turn::leads;
    return;
  }
  Line& line = at->second;
  line.waiting.push_back(std::move(waiter));
  // move_on() returns null here, because no other caller waits.
  if (line.held && !another_may_follow(line)) static_cast<void>(move_on(at, Section::goes_on));
}

Turn LocalLines::turn_of(const LineWaiter& waiter) const {
  const Locked locked(*this);
  return waiter.turn_;
}

bool LocalLines::leave(const LockName& name, const LineWaiter& waiter) {
  const Locked locked(*this);
  if (waiter.turn_ != Turn::waits) return false;
  std::erase_if(lines_.at(name).waiting, [&](const auto& other) { return other.get() == &waiter; });
  return true;
}

LocalLines::Called LocalLines::granted(const Lease& lease, LineWaiter& leader, TimePoint now) {
  const Locked locked(*this);
  const auto at = lines_.find(lease.name());
  Line& line = at->second;
  const Duration lifetime = lease.certain_until() - lease.sent();
  line.hand_over_until =
      std::min(lease.sent() + lifetime / 100 * policy_.lease_percent, now + policy_.within);
  line.left = lease.reserved() - 1;
  const auto waiting = static_cast<std::int64_t>(line.waiting.size());
  if (lease.others_queue()) line.left = std::min(line.left, waiting);
  return begin(at, lease, leader);
}

LocalLines::HandedOver LocalLines::hand_over(const Lease& over, TimePoint now) {
  const Locked locked(*this);
  HandedOver next;
  const auto at = lines_.find(over.name());
  if (at == lines_.end() || !holds(at->second, over)) return next;
  Line& line = at->second;
  const bool in_time = now < line.hand_over_until;
  if (!in_time || line.waiting.empty() || !another_may_follow(line)) return next;
  next.holds = std::move(line.waiting.front());
  line.waiting.pop_front();
  --line.left;
  next.holds->lease_ = over.next();
  next.leads = begin(at, *next.holds->lease_, *next.holds);
  return next;
}

LocalLines::Called LocalLines::pass_on(const Lease& held, Section section) {
  const Locked locked(*this);
  const auto at = lines_.find(held.name());
  return at != lines_.end() && holds(at->second, held) ? move_on(at, section) : nullptr;
}

LocalLines::Called LocalLines::got_nothing(const LockName& name) {
  const Locked locked(*this);
  return move_on(lines_.find(name), Section::over);
}

std::int64_t LocalLines::sections_left(const LockName& name) const {
  const Locked locked(*this);
  const auto at = lines_.find(name);
  return at != lines_.end() && at->second.held ? at->second.left : 0;
}

void LocalLines::ask_anew(const Lease& given_back, const std::shared_ptr<LineWaiter>& waiter) {
  const Locked locked(*this);
  const auto [at, is_new] = lines_.try_emplace(given_back.name());
  Line& line = at->second;
  waiter->lease_.reset();
  if (is_new || holds(line, given_back)) {
    line.held.reset();
    waiter->turn_ = Turn::leads;
    waiter->finds_it_held_ = false;
  } else {
    waiter->turn_ = Turn::waits;
    line.waiting.push_front(waiter);
  }
}

bool LocalLines::holds(const Line& line, const Lease& lease) {
  return line.held && line.held->owner() == lease.owner() &&
         line.held->fencing() == lease.fencing();
}

// The grant has one ttl at the store, and the first in line is never passed over.
bool LocalLines::another_may_follow(const Line& line) {
  const bool same_ttl = line.waiting.empty() || line.waiting.front()->ttl_ == line.held->ttl();
  return line.left > 0 && same_ttl;
}

LocalLines::Called LocalLines::begin(Lines::iterator at, const Lease& lease, LineWaiter& holder) {
  Line& line = at->second;
  line.held = lease;
  holder.turn_ = Turn::holds;
  holder.hand_over_until_ = line.hand_over_until;
  return another_may_follow(line) ? nullptr : move_on(at, Section::goes_on);
}

LocalLines::Called LocalLines::move_on(Lines::iterator at, Section section) {
  Line& line = at->second;
  if (line.waiting.empty()) {
    lines_.erase(at);
    return nullptr;
  }
  line.held.reset();
  Called next = std::move(line.waiting.front());
  line.waiting.pop_front();
  next->turn_ = Turn::leads;
  next->finds_it_held_ = section == Section::goes_on;
  return next;
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
      // The caller woke too late to begin with this lease. A failed release is ignored, because the
      // key expires.
      static_cast<void>(co_await waiter->give_back(lease));
      lines_.ask_anew(lease, waiter);
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
    call(lines_.got_nothing(name));
    co_return Error(Errc::cancelled, "the wait was cancelled");
  }
  Result<AcquireOutcome> outcome = co_await waiter->ask(name, options);
  if (const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
    call(lines_.granted(*lease, *waiter, time_.now()));
  } else {
    call(lines_.got_nothing(name));
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

void LineClient::call(const LocalLines::Called& next) {
  if (next) next->call();
}

Task<Result<ReleaseOutcome>> LineClient::release(std::shared_ptr<LineWaiter> waiter, Lease lease) {
  const LocalLines::HandedOver next = lines_.hand_over(lease, time_.now());
  call(next.holds);
  call(next.leads);
  if (next.holds) co_return ReleaseOutcome::released;
  Result<ReleaseOutcome> outcome = co_await waiter->give_back(lease);
  // After the release and not before: the new leader would find the lock held, and queue up.
  call(lines_.pass_on(lease, LocalLines::Section::over));
  co_return outcome;
}

}  // namespace interlock
