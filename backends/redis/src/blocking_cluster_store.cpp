#include "blocking_cluster_store.hpp"

#include <algorithm>
#include <utility>

#include "interlock/posix/clock.hpp"
#include "read_slot_map.hpp"

namespace interlock::redis {

BlockingClusterStore::BlockingClusterStore(std::shared_ptr<Cluster> cluster)
    : fork_(cluster->process()), cluster_(std::move(cluster)) {}

// One store's last answer may send an operation on to another.
BlockingClusterStore::~BlockingClusterStore() {
  BlockingClusterStore::give_up_answer();
}

Submitted BlockingClusterStore::submit(PendingOperation& pending) {
  if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
  const Operation& operation = pending.operation();
  if (names_subscription(operation.kind)) return submit_about(operation.subscription, pending);
  read_map_if_doubted();
  if (!cluster_->is_known()) {
    auto error = back_off_.pause(Clock::now());
    if (!error) error = read_map();
    if (error) {
      pending.complete(*error);
      return Submitted::completed;
    }
  }
  const HashSlot slot = slot_of(operation);
  const NodeNumber keeper = cluster_->keeper(slot);
  if (keeper != no_node) return store(keeper).submit(pending);
  doubt_map();
  pending.complete(cluster_->nobody_keeps(slot));
  return Submitted::completed;
}

// Any thread.
Submitted BlockingClusterStore::submit_about(SubscriptionId subscription,
                                             PendingOperation& pending) {
  if (BlockingStore* const found = known_store(node_of(subscription))) {
    return found->submit(pending);
  }
  pending.complete(without_subscription(pending.operation().kind));
  return Submitted::completed;
}

BlockingStore* BlockingClusterStore::known_store(NodeNumber node) {
  const std::lock_guard lock(mutex_);
  return node < stores_.size() ? stores_[node].get() : nullptr;
}

BlockingStore& BlockingClusterStore::store(NodeNumber node) {
  if (BlockingStore* const found = known_store(node)) return *found;
  ClusterLink* const link = this;
  auto made = std::make_unique<BlockingStore>(cluster_->endpoint(node), link,
                                              first_subscription(node), subscription_step);
  made->wait_for_answers(waits_);
  const std::lock_guard lock(mutex_);
  if (node >= stores_.size()) stores_.resize(node + 1);
  stores_[node] = std::move(made);
  return *stores_[node];
}

void BlockingClusterStore::send_on(PendingOperation& pending, const Redirection& to, Waits waits) {
  const NodeNumber node = cluster_->follow(to);
  if (++pending.sent_on > Cluster::most_sent_on) {
    doubt_map();
    pending.complete(cluster_->sent_in_circles());
    return;
  }
  BlockingStore& next = store(node);
  if (to.kind == RedirectionKind::ask) {
    static_cast<void>(next.submit_asking(pending));
    return;
  }
  next.wait_for_answers(waits == Waits::yes);
  static_cast<void>(next.submit(pending));
  next.wait_for_answers(waits_);
}

// --- the map -------------------------------------------------------------------------------------

void BlockingClusterStore::read_map_if_doubted() {
  if (!is_doubted_ || !cluster_->is_known()) return;
  if (cluster_->pause_before_asking(Clock::now()) > Duration::zero()) return;
  is_doubted_ = false;
  // Without an answer the old map is the best there is.
  static_cast<void>(read_map());
}

std::optional<Error> BlockingClusterStore::read_map() {
  auto error = read_slot_map(*cluster_);
  if (error) {
    back_off_.failed(*error, Clock::now());
  } else {
    back_off_.succeeded();
  }
  return error;
}

std::uint32_t BlockingClusterStore::server_of(const Key& key) {
  return cluster_->keeper(slot_of(key.text()));
}

// --- without waiting -----------------------------------------------------------------------------

void BlockingClusterStore::wait_for_answers(bool wait) {
  waits_ = wait;
  for (const auto& each : stores_) {
    if (each) each->wait_for_answers(wait);
  }
}

// An answer that sends an operation on makes another store wait for one.
bool BlockingClusterStore::take_answer(Duration at_most) {
  const TimePoint now = posix::local_now();
  const TimePoint until = at_most > TimePoint::max() - now ? TimePoint::max() : now + at_most;
  for (std::size_t round = 0; round <= Cluster::most_sent_on; ++round) {
    bool all = true;
    // By index: one that sends on may make another.
    for (std::size_t node = 0; node < stores_.size(); ++node) {
      const Duration left = std::max(Duration::zero(), until - posix::local_now());
      if (stores_[node]) all = stores_[node]->take_answer(left) && all;
    }
    const bool none_left = std::none_of(stores_.begin(), stores_.end(), [](const auto& each) {
      return each && each->has_outstanding();
    });
    if (none_left) return true;
    if (!all) return false;
  }
  return false;
}

void BlockingClusterStore::give_up_answer() {
  for (std::size_t node = 0; node < stores_.size(); ++node) {
    if (stores_[node]) stores_[node]->give_up_answer();
  }
}

}  // namespace interlock::redis
