#include "queued_waiters.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace interlock {

QueuedWaiters::QueuedCaller::QueuedCaller(QueuedWaiters& waiters,
                                          LockName name,
                                          std::shared_ptr<Cancellation> waiting)
    : waiters_(waiters), name_(std::move(name)), waiting_(std::move(waiting)) {
  const std::lock_guard lock(waiters_.mutex_);
  Ends& ends = waiters_.queued_[name_];
  before_ = std::exchange(ends.last, this);
  (before_ != nullptr ? before_->after_ : ends.first) = this;
}

QueuedWaiters::QueuedCaller::~QueuedCaller() {
  const std::lock_guard lock(waiters_.mutex_);
  const auto at = waiters_.queued_.find(name_);
  (before_ != nullptr ? before_->after_ : at->second.first) = after_;
  (after_ != nullptr ? after_->before_ : at->second.last) = before_;
  if (at->second.first == nullptr) waiters_.queued_.erase(at);
}

void QueuedWaiters::begin() {
  timer_ = loop_.timer([this] { recheck(); });
}

void QueuedWaiters::end() {
  timer_.reset();
}

bool QueuedWaiters::any(const LockName& name) const {
  const std::lock_guard lock(mutex_);
  return queued_.contains(name);
}

bool QueuedWaiters::is_busy(const LockName& name, TimePoint now) const {
  const std::lock_guard lock(mutex_);
  if (queued_.contains(name)) return true;
  const auto at = busy_until_.find(name);
  return at != busy_until_.end() && now < at->second;
}

void QueuedWaiters::found_busy(const LockName& name, TimePoint now) {
  // Bounds the memory of a client that uses a name once and never again.
  constexpr std::size_t names_max = 256;
  const std::lock_guard lock(mutex_);
  if (busy_until_.size() >= names_max) {
    std::erase_if(busy_until_, [now](const auto& one) { return one.second <= now; });
    if (busy_until_.size() >= names_max) busy_until_.clear();
  }
  busy_until_.insert_or_assign(name, now + busy_for);
}

void QueuedWaiters::recheck_after_offer(const LockName& name, TimePoint now) {
  constexpr milliseconds slack{5};
  const TimePoint due = now + offer_lasts_ + slack;
  {
    const std::lock_guard lock(mutex_);
    if (!queued_.contains(name)) return;
    const bool is_armed = !recheck_at_.empty();
    recheck_at_.insert_or_assign(name, due);
    if (is_armed) return;
  }
  loop_.post([this, due] { arm(due); });
}

void QueuedWaiters::arm(TimePoint due) {
  if (timer_) timer_->arm(std::max(Duration::zero(), due - loop_.now()));
}

void QueuedWaiters::recheck() {
  std::vector<std::shared_ptr<Cancellation>> first_of_each;
  TimePoint next = TimePoint::max();
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = loop_.now();
    for (auto at = recheck_at_.begin(); at != recheck_at_.end();) {
      if (at->second > now) {
        next = std::min(next, at->second);
        ++at;
        continue;
      }
      const auto queue = queued_.find(at->first);
      if (queue != queued_.end()) first_of_each.push_back(queue->second.first->waiting_);
      at = recheck_at_.erase(at);
    }
  }
  if (next != TimePoint::max()) arm(next);
  for (const auto& waiting : first_of_each) waiting->rouse();
}

}  // namespace interlock
