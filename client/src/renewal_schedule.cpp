#include "renewal_schedule.hpp"

#include <algorithm>
#include <utility>

namespace interlock {

void RenewalSchedule::begin() {
  timer_ = loop_.timer([this] { see_to_what_is_due(); });
}

void RenewalSchedule::end() {
  timer_.reset();
}

void RenewalSchedule::add(const std::shared_ptr<ScheduledLease>& entry) {
  const TimePoint due = entry->first_due();
  const std::lock_guard lock(mutex_);
  entry->place_ = put(due, entry);
  // Only a lease that is due earlier than all others wakes the loop. If sections are short, that is
  // one in thousands.
  if (due >= next_due_) return;
  try {
    loop_.post([this, due] { arm(due); });
  } catch (...) {
    // std::bad_alloc. The caller gets no guard, so nobody would end the renewals of the lease.
    take_out(*entry);
    throw;
  }
  next_due_ = due;
}

RenewalSchedule::Stage RenewalSchedule::remove(ScheduledLease& entry) {
  const std::lock_guard lock(mutex_);
  const Stage stage = entry.stage_;
  if (stage != Stage::ended) take_out(entry);
  return stage;
}

// Both under the mutex.
void RenewalSchedule::take_out(ScheduledLease& entry) {
  entry.stage_ = Stage::ended;
  spare_ = entries_.extract(entry.place_);
  spare_.mapped().reset();
}

RenewalSchedule::Entries::iterator RenewalSchedule::put(TimePoint due,
                                                        std::shared_ptr<ScheduledLease> entry) {
  if (spare_.empty()) return entries_.emplace(due, std::move(entry));
  spare_.key() = due;
  spare_.mapped() = std::move(entry);
  return entries_.insert(std::move(spare_));
}

std::vector<std::shared_ptr<RenewalSchedule::ScheduledLease>> RenewalSchedule::remove_all() {
  std::vector<std::shared_ptr<ScheduledLease>> all;
  const std::lock_guard lock(mutex_);
  for (auto& [due, entry] : entries_) {
    entry->stage_ = Stage::ended;
    all.push_back(std::move(entry));
  }
  entries_.clear();
  return all;
}

bool RenewalSchedule::has_ended(const ScheduledLease& entry) const {
  const std::lock_guard lock(mutex_);
  return entry.stage_ == Stage::ended;
}

void RenewalSchedule::arm(TimePoint due) {
  if (timer_) timer_->arm(std::max(Duration::zero(), due - loop_.now()));
}

void RenewalSchedule::see_to_what_is_due() {
  std::vector<std::shared_ptr<ScheduledLease>> due;
  std::vector<std::shared_ptr<ScheduledLease>> to_keep_alive;
  TimePoint next = TimePoint::max();
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = loop_.now();
    while (!entries_.empty() && entries_.begin()->first <= now) {
      due.push_back(std::move(entries_.begin()->second));
      entries_.erase(entries_.begin());
      ScheduledLease& entry = *due.back();
      const TimePoint renewal = entry.renewal_due();
      const bool is_for_renewal = renewal <= now;
      entry.place_ = entries_.emplace(is_for_renewal ? TimePoint::max() : renewal, due.back());
      if (!is_for_renewal) continue;
      entry.stage_ = Stage::kept_alive;
      to_keep_alive.push_back(due.back());
    }
    if (!entries_.empty()) next = entries_.begin()->first;
    next_due_ = next;
  }
  if (next != TimePoint::max()) arm(next);
  for (const auto& entry : due) entry->on_due();
  // on_due() may have ended it.
  for (const auto& entry : to_keep_alive) {
    if (!has_ended(*entry)) entry->keep_alive();
  }
}

}  // namespace interlock
