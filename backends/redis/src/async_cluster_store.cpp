#include "async_cluster_store.hpp"

#include <utility>

namespace interlock::redis {
namespace {

constexpr std::size_t longest_queue = AsyncCommands::longest_queue;

}  // namespace

AsyncCluster::AsyncCluster(std::shared_ptr<Cluster> cluster, Reactor& reactor)
    : cluster_(std::move(cluster)), reactor_(reactor) {}

Submitted AsyncCluster::submit(PendingOperation& pending) {
  const Operation& operation = pending.operation();
  if (closed_) {
    pending.complete(Error(Errc::unavailable, "this store is being closed"));
    return Submitted::completed;
  }
  if (names_subscription(operation.kind)) {
    const NodeNumber node = node_of(operation.subscription);
    if (node < stores_.size() && stores_[node]) return stores_[node]->submit(pending);
    pending.complete(without_subscription(pending.operation().kind));
    return Submitted::completed;
  }
  if (cluster_->is_known()) return submit_to_keeper(pending);
  if (auto error = back_off_.pause(Clock::now())) {
    pending.complete(*error);
    return Submitted::completed;
  }
  if (before_map_.size() >= longest_queue) {
    pending.complete(Error(Errc::unavailable, std::to_string(longest_queue) +
                                                  " operations wait for a connection already"));
    return Submitted::completed;
  }
  before_map_.push_back(&pending);
  read_map();
  return Submitted::pending;
}

Submitted AsyncCluster::submit_to_keeper(PendingOperation& pending) {
  follow_map();
  const HashSlot slot = slot_of(pending.operation());
  const NodeNumber keeper = cluster_->keeper(slot);
  if (keeper != no_node) return store(keeper).submit(pending);
  doubt_map();
  pending.complete(cluster_->nobody_keeps(slot));
  return Submitted::completed;
}

AsyncStore& AsyncCluster::store(NodeNumber node) {
  if (node >= stores_.size()) stores_.resize(node + 1);
  if (!stores_[node]) {
    stores_[node] =
        std::make_unique<AsyncStore>(cluster_->endpoint(node), reactor_, weak_from_this(),
                                     first_subscription(node), subscription_step);
  }
  return *stores_[node];
}

void AsyncCluster::send_on(PendingOperation& pending, const Redirection& to, Waits) {
  const auto self = shared_from_this();
  const NodeNumber node = cluster_->follow(to);
  if (closed_ || ++pending.sent_on > Cluster::most_sent_on) {
    doubt_map();
    pending.complete(cluster_->sent_in_circles());
    return;
  }
  follow_map();
  const bool asks = to.kind == RedirectionKind::ask;
  static_cast<void>(asks ? store(node).submit_asking(pending) : store(node).submit(pending));
}

// --- the map -------------------------------------------------------------------------------------

void AsyncCluster::doubt_map() {
  if (!closed_ && cluster_->is_known()) read_map();
}

void AsyncCluster::read_map() {
  if (reader_ || will_read_) return;
  const Duration pause = cluster_->pause_before_asking(Clock::now());
  if (pause > Duration::zero()) {
    will_read_ = true;
    if (!read_later_) {
      read_later_ = reactor_.timer([weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->will_read_ = false;
        self->read_map();
      });
    }
    read_later_->arm(pause);
    return;
  }
  reader_ = std::make_shared<SlotMapReader>(
      cluster_, reactor_, [weak = weak_from_this()](const std::optional<Error>& why_not) {
        if (const auto self = weak.lock()) self->map_was_read(why_not);
      });
  reader_->begin();
}

void AsyncCluster::map_was_read(const std::optional<Error>& why_not) {
  reader_.reset();
  if (!why_not) {
    back_off_.succeeded();
    follow_map();
  } else if (!cluster_->is_known()) {
    back_off_.failed(*why_not, Clock::now());
  }
  for (PendingOperation* pending : std::exchange(before_map_, {})) {
    // Another store of this backend may have learned it meanwhile.
    if (cluster_->is_known() && !closed_) {
      static_cast<void>(submit_to_keeper(*pending));
    } else {
      pending->complete(why_not ? *why_not : Error(Errc::unavailable, "the store was closed"));
    }
  }
}

// A server that keeps no slots any more may be dead. Those who listen there would hear of no
// release. If it lives it passes messages on, but its count of listeners is not looked at.
void AsyncCluster::follow_map() {
  const std::uint64_t version = cluster_->version();
  if (std::exchange(followed_, version) == version) return;
  for (NodeNumber node = 0; node < stores_.size(); ++node) {
    if (stores_[node] && !cluster_->keeps_slots(node)) stores_[node]->end_subscriptions();
  }
}

// --- the end -------------------------------------------------------------------------------------

void AsyncCluster::close() {
  const auto self = shared_from_this();
  closed_ = true;
  read_later_.reset();
  if (reader_) std::exchange(reader_, nullptr)->close();
  for (PendingOperation* pending : std::exchange(before_map_, {})) {
    pending->complete(Error(Errc::unavailable, "the store was closed"));
  }
  std::exchange(stores_, {}).clear();
}

void AsyncCluster::leave_behind() {
  closed_ = true;
  posix::leave_behind(std::tuple(std::exchange(stores_, {}), std::move(reader_),
                                 std::move(read_later_), std::exchange(before_map_, {})));
}

AsyncClusterStore::AsyncClusterStore(std::shared_ptr<Cluster> cluster, Reactor& reactor)
    : fork_(cluster->process()),
      cluster_(cluster),
      servers_(std::make_shared<AsyncCluster>(std::move(cluster), reactor)) {}

AsyncClusterStore::~AsyncClusterStore() {
  if (fork_.in_child()) {
    // Closing it would resume the coroutines that wait for it.
    servers_->leave_behind();
    return;
  }
  servers_->close();
}

Submitted AsyncClusterStore::submit(PendingOperation& pending) {
  if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
  return servers_->submit(pending);
}

std::uint32_t AsyncClusterStore::server_of(const Key& key) {
  return cluster_->keeper(slot_of(key.text()));
}

}  // namespace interlock::redis
