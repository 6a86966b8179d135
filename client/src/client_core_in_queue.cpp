// The callers of one client that queue at the store for a fair lock.
#include <algorithm>
#include <utility>

#include "client_core.hpp"
#include "interlock/local_clock.hpp"

namespace interlock {

Client::Core::Queued::Queued(Core& core, LockName name, std::shared_ptr<Cancellation> waiting)
    : core_(core), name_(std::move(name)) {
  const std::lock_guard lock(core_.mutex_);
  auto& all = core_.queued_[name_];
  place_ = all.insert(all.end(), std::move(waiting));
}

Client::Core::Queued::~Queued() {
  const std::lock_guard lock(core_.mutex_);
  const auto at = core_.queued_.find(name_);
  at->second.erase(place_);
  if (at->second.empty()) core_.queued_.erase(at);
}

bool Client::Core::somebody_queues_for(const LockName& name) {
  const std::lock_guard lock(mutex_);
  return queued_.contains(name);
}

void Client::Core::look_again_after_offer(const LockName& name) {
  constexpr milliseconds slack{5};
  const TimePoint due = local_now() + options_.queue_policy.claim_window + slack;
  {
    const std::lock_guard lock(mutex_);
    if (!queued_.contains(name)) return;
    const bool is_armed = !look_again_at_.empty();
    look_again_at_.insert_or_assign(name, due);
    if (is_armed) return;
  }
  loop_->post([this, due] { arm_look_again(due); });
}

void Client::Core::arm_look_again(TimePoint due) {
  if (look_again_timer_) look_again_timer_->arm(std::max(Duration::zero(), due - local_now()));
}

void Client::Core::look_again() {
  std::vector<std::shared_ptr<Cancellation>> first_of_each;
  TimePoint next = TimePoint::max();
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = local_now();
    for (auto at = look_again_at_.begin(); at != look_again_at_.end();) {
      if (at->second > now) {
        next = std::min(next, at->second);
        ++at;
        continue;
      }
      const auto queue = queued_.find(at->first);
      if (queue != queued_.end()) first_of_each.push_back(queue->second.front());
      at = look_again_at_.erase(at);
    }
  }
  if (next != TimePoint::max()) arm_look_again(next);
  for (const auto& waiting : first_of_each) waiting->rouse();
}

}  // namespace interlock
