#include "queued_waiters.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace interlock {

QueuedWaiters::QueuedCaller::QueuedCaller(QueuedWaiters& waiters,
                                          LockName name,
                                          std::shared_ptr<Cancellation> waiting)
    : waiters_(waiters), name_(std::move(name)) {
  const std::lock_guard lock(waiters_.mutex_);
  auto& all = waiters_.queued_[name_];
  place_ = all.insert(all.end(), std::move(waiting));
}

QueuedWaiters::QueuedCaller::~QueuedCaller() {
  const std::lock_guard lock(waiters_.mutex_);
  const auto at = waiters_.queued_.find(name_);
  at->second.erase(place_);
  if (at->second.empty()) waiters_.queued_.erase(at);
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
      if (queue != queued_.end()) first_of_each.push_back(queue->second.front());
      at = recheck_at_.erase(at);
    }
  }
  if (next != TimePoint::max()) arm(next);
  for (const auto& waiting : first_of_each) waiting->rouse();
}

}  // namespace interlock
