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
LocalLines::Called SharedLines::granted(const Lease& lease, LineWaiter& leader, TimePoint now) {
  const std::lock_guard lock(mutex_);
  return LocalLines::granted(lease, leader, now);
}
LocalLines::Called SharedLines::got_nothing(const LockName& name) {
  const std::lock_guard lock(mutex_);
  return LocalLines::got_nothing(name);
}
LocalLines::HandedOver SharedLines::hand_over(const Lease& over, TimePoint now) {
  const std::lock_guard lock(mutex_);
  return LocalLines::hand_over(over, now);
}
LocalLines::Called SharedLines::pass_on(const Lease& held, Section section) {
  const std::lock_guard lock(mutex_);
  return LocalLines::pass_on(held, section);
}
std::int64_t SharedLines::sections_left(const LockName& name) const {
  const std::lock_guard lock(mutex_);
  return LocalLines::sections_left(name);
}
void SharedLines::ask_anew(const Lease& given_back, const std::shared_ptr<LineWaiter>& waiter) {
  const std::lock_guard lock(mutex_);
  LocalLines::ask_anew(given_back, waiter);
}

}  // namespace interlock
