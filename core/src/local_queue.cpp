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

void LocalQueues::join(const LockName& name, std::shared_ptr<LocalWaiter> waiter, TimePoint now) {
  const Locked locked(*this);
  const auto [at, is_new] = find_or_make(name);
  if (is_new) return lead(*waiter);
  LocalQueue& queue = at->second;
  if ((waiter->taken_ = close_kept(queue))) return take_kept(at, *waiter, now);
  queue.waiting.push_back(std::move(waiter));
  // move_on() returns null here, because no other caller waits.
  if (queue.held && !another_may_follow(queue)) static_cast<void>(move_on(at, Section::goes_on));
}

// True: it is new.
std::pair<LocalQueues::Queues::iterator, bool> LocalQueues::find_or_make(const LockName& name) {
  if (spare_.empty()) return queues_.try_emplace(name);
  spare_.key() = name;
  auto made = queues_.insert(std::move(spare_));
  spare_ = std::move(made.node);  // empty, unless there is a queue
  return {made.position, made.inserted};
}

void LocalQueues::lead(LocalWaiter& waiter) {
  waiter.turn_ = Turn::leads;
  waiter.recalls_before_ = recalls_;
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
  // An offer is a short lease. If nobody waits to be handed it, it is renewed as soon as it can be.
  if (lease.is_by_offer() && queue.waiting.empty()) {
    queue.hand_over_until = std::min(queue.hand_over_until, lease.renewal_due());
  }
  queue.left = lease.reserved() - 1;
  const auto waiting = static_cast<std::int64_t>(queue.waiting.size());
  if (lease.others_queue()) queue.left = std::min(queue.left, waiting);
  queue.recalls_before = leader.recalls_before_;
  return begin(at, lease, leader);
}

LocalQueues::HandedOver LocalQueues::hand_over(const Lease& over, TimePoint now) {
  const Locked locked(*this);
  HandedOver next;
  const auto at = queues_.find(over.name());
  if (at == queues_.end()) return next;
  LocalQueue& queue = at->second;
  // The section is the last that its caller has begun by itself.
  if (has_grant(queue, over)) close_kept(queue);
  if (!holds(queue, over)) return next;
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
  if (at == queues_.end()) return nullptr;
  if (has_grant(at->second, held)) close_kept(at->second);
  return holds(at->second, held) ? move_on(at, section) : nullptr;
}

LocalQueues::Next LocalQueues::got_nothing(const LockName& name) {
  const Locked locked(*this);
  return move_on(queues_.find(name), Section::over);
}

LocalQueues::Next LocalQueues::give_up(const LockName& name, const LocalWaiter& waiter) {
  const Locked locked(*this);
  const auto at = queues_.find(name);
  if (at == queues_.end()) return nullptr;
  LocalQueue& queue = at->second;
  if (waiter.turn_ == Turn::leads) return move_on(at, Section::over);
  if (waiter.lease_ && holds(queue, *waiter.lease_)) return move_on(at, Section::over);
  std::erase_if(queue.waiting, [&](const auto& other) { return other.get() == &waiter; });
  return nullptr;
}

std::int64_t LocalQueues::sections_left(const LockName& name) const {
  const Locked locked(*this);
  const auto at = queues_.find(name);
  if (at == queues_.end() || !at->second.held) return 0;
  const LocalQueue& queue = at->second;
  return queue.left - (queue.keeps ? queue.keeps->section() : 0);
}

void LocalQueues::requeue_first(const Lease& released, const std::shared_ptr<LocalWaiter>& waiter) {
  const Locked locked(*this);
  const auto [at, is_new] = find_or_make(released.name());
  LocalQueue& queue = at->second;
  waiter->lease_.reset();
  if (is_new || holds(queue, released)) {
    queue.held.reset();
    lead(*waiter);
    waiter->finds_it_held_ = false;
  } else {
    waiter->turn_ = Turn::waits;
    queue.waiting.push_front(waiter);
  }
}

bool LocalQueues::has_grant(const LocalQueue& queue, const Lease& lease) {
  return queue.held && queue.held->owner() == lease.owner();
}

bool LocalQueues::holds(const LocalQueue& queue, const Lease& lease) {
  return has_grant(queue, lease) && queue.held->fencing() == lease.fencing();
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
  holder.recalls_before_ = queue.recalls_before;
  const bool may_follow = another_may_follow(queue);
  const bool may_keep = may_follow && queue.waiting.empty() && queue.recalls_before == recalls_;
  if (holder.keeps_ && may_keep && !keeps_no_more_) {
    holder.keeps_->open(queue.left, queue.hand_over_until);
    queue.keeps = holder.keeps_;
  } else if (holder.keeps_) {
    holder.keeps_->leave_closed();
  }
  return may_follow ? nullptr : move_on(at, Section::goes_on);
}

LocalQueues::Next LocalQueues::move_on(Queues::iterator at, Section section) {
  LocalQueue& queue = at->second;
  if (queue.waiting.empty()) {
    spare_ = queues_.extract(at);
    spare_.mapped() = LocalQueue();
    return nullptr;
  }
  queue.held.reset();
  Next next = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  lead(*next);
  next->finds_it_held_ = section == Section::goes_on;
  return next;
}

// --- grants that are kept ------------------------------------------------------------------------

// Afterwards `held` and `left` are correct. Returns the grant that was kept; null: none was.
std::shared_ptr<KeptGrant> LocalQueues::close_kept(LocalQueue& queue) {
  if (!queue.keeps) return nullptr;
  const std::shared_ptr<KeptGrant> keeps = std::exchange(queue.keeps, nullptr);
  const KeptGrant::ClosedGrant closed = keeps->close();
  queue.held = queue.held->after(closed.section);
  queue.left -= closed.section;
  return closed.was_kept ? keeps : nullptr;
}

// Gives the next section of the kept grant to the waiter, if the waiter can use it.
void LocalQueues::take_kept(Queues::iterator at, LocalWaiter& waiter, TimePoint now) {
  LocalQueue& queue = at->second;
  const bool does = now < queue.hand_over_until && waiter.ttl_ == queue.held->ttl();
  if (!does) {
    waiter.gives_back_ = std::exchange(queue.held, std::nullopt);
    return lead(waiter);
  }
  --queue.left;
  waiter.lease_ = queue.held->next();
  // begin() returns null, because no other caller waits.
  static_cast<void>(begin(at, *waiter.lease_, waiter));
}

LocalQueues::TimeIsOver LocalQueues::stop_handing_over(const Lease& held) {
  const Locked locked(*this);
  TimeIsOver over;
  const auto at = queues_.find(held.name());
  if (at == queues_.end() || !has_grant(at->second, held)) return over;
  LocalQueue& queue = at->second;
  // If a grant may be kept, only the queue knows which of its sections goes on now.
  const bool is_its_own = queue.keeps != nullptr || holds(queue, held);
  over.kept = close_kept(queue);
  if (!over.kept && is_its_own) over.leads = move_on(at, Section::goes_on);
  return over;
}

std::shared_ptr<KeptGrant> LocalQueues::stop_keeping(const LockName& name) {
  const Locked locked(*this);
  const auto at = queues_.find(name);
  return at != queues_.end() ? close_kept(at->second) : nullptr;
}

std::vector<std::shared_ptr<KeptGrant>> LocalQueues::stop_keeping_all(Recall recalls) {
  const Locked locked(*this);
  ++recalls_;
  keeps_no_more_ = keeps_no_more_ || recalls == Recall::for_good;
  std::vector<std::shared_ptr<KeptGrant>> all;
  for (auto& [name, queue] : queues_) {
    if (auto kept = close_kept(queue)) all.push_back(std::move(kept));
  }
  return all;
}

bool LocalQueues::was_recalled(const LocalWaiter& waiter) const {
  const Locked locked(*this);
  return waiter.recalls_before_ != recalls_;
}

}  // namespace interlock
