// A store on an event loop for a whole Redis Cluster: one ordinary store for each server.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "async_store.hpp"
#include "back_off.hpp"
#include "cluster.hpp"
#include "interlock/store/key_value_store.hpp"
#include "slot_map_reader.hpp"

namespace interlock::redis {

// The stores of the servers, and who gets which operation. It outlives the store of the cluster
// while a completion that has destroyed that still runs inside. On the loop's thread.
class AsyncCluster final : public ClusterLink, public std::enable_shared_from_this<AsyncCluster> {
 public:
  AsyncCluster(std::shared_ptr<Cluster> cluster, Reactor& reactor);

  Submitted submit(PendingOperation& pending);
  // Completes what is pending; from then on every operation fails.
  void close();
  // In a child of fork(): keeps all for ever.
  void leave_behind();

  void send_on(PendingOperation& pending, const Redirection& to, Waits waits) override;
  void doubt_map() override;

 private:
  Submitted submit_to_keeper(PendingOperation& pending);
  AsyncStore& store(NodeNumber node);
  void read_map();
  void map_was_read(const std::optional<Error>& why_not);
  void follow_map();

  std::shared_ptr<Cluster> cluster_;
  Reactor& reactor_;
  std::vector<std::unique_ptr<AsyncStore>>
      stores_;                                // by the servers' numbers; null: not needed yet
  std::uint64_t followed_ = 0;                // the version of the map
  std::deque<PendingOperation*> before_map_;  // wait until the first map is known
  std::shared_ptr<SlotMapReader> reader_;     // while it asks
  std::unique_ptr<Reactor::Timer> read_later_;
  bool will_read_ = false;  // the timer is armed
  BackOff back_off_;
  bool closed_ = false;
};

// Never blocks; for the loop's thread alone.
class AsyncClusterStore final : public KeyValueStore {
 public:
  AsyncClusterStore(std::shared_ptr<Cluster> cluster, Reactor& reactor);
  ~AsyncClusterStore() override;
  AsyncClusterStore(const AsyncClusterStore&) = delete;
  AsyncClusterStore& operator=(const AsyncClusterStore&) = delete;

  Submitted submit(PendingOperation& pending) override;
  std::uint32_t server_of(const Key& key) override;

 private:
  const posix::ForkMark fork_;
  std::shared_ptr<Cluster> cluster_;
  std::shared_ptr<AsyncCluster> servers_;
};

}  // namespace interlock::redis
