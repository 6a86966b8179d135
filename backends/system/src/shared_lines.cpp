#include "shared_lines.hpp"

#include <utility>

namespace interlock {

void SharedLines::join(const LockName& name, std::shared_ptr<LineWaiter> waiter) {
  const std::lock_guard lock(mutex_);
  LocalLines::join(name, std::move(waiter));
}
LineWaiter::Turn SharedLines::turn_of(const LineWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  return LocalLines::turn_of(waiter);
}
bool SharedLines::leave(const LockName& name, const LineWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  return LocalLines::leave(name, waiter);
}
void SharedLines::granted(const Lease& lease, LineWaiter& leader, TimePoint now) {
  const std::lock_guard lock(mutex_);
  LocalLines::granted(lease, leader, now);
}
LocalLines::Called SharedLines::hand_over(const Lease& over, TimePoint now) {
  const std::lock_guard lock(mutex_);
  return LocalLines::hand_over(over, now);
}
LocalLines::Called SharedLines::pass_on_early(const LockName& name) {
  const std::lock_guard lock(mutex_);
  return LocalLines::pass_on_early(name);
}
LocalLines::Called SharedLines::pass_on(const LockName& name) {
  const std::lock_guard lock(mutex_);
  return LocalLines::pass_on(name);
}
bool SharedLines::was_alone(const LockName& name) const {
  const std::lock_guard lock(mutex_);
  return LocalLines::was_alone(name);
}
void SharedLines::lead(const LockName& name, LineWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  LocalLines::lead(name, waiter);
}

}  // namespace interlock
