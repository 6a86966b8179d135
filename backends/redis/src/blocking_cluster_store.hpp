// A blocking store for a whole Redis Cluster: one ordinary store for each server.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "back_off.hpp"
#include "blocking_store.hpp"
#include "cluster.hpp"

namespace interlock::redis {

// One thread at a time, but for interrupt.
class BlockingClusterStore final : public PipelinedStore, private ClusterLink {
 public:
  explicit BlockingClusterStore(std::shared_ptr<Cluster> cluster);
  ~BlockingClusterStore() override;
  BlockingClusterStore(const BlockingClusterStore&) = delete;
  BlockingClusterStore& operator=(const BlockingClusterStore&) = delete;

  Submitted submit(PendingOperation& pending) override;
  std::uint32_t server_of(const Key& key) override;
  void wait_for_answers(bool wait) override;
  bool take_answer(Duration at_most) override;
  void give_up_answer() override;

 private:
  void send_on(PendingOperation& pending, const Redirection& to, Waits waits) override;
  void doubt_map() override { is_doubted_ = true; }

  Submitted submit_about(SubscriptionId subscription, PendingOperation& pending);
  BlockingStore& store(NodeNumber node);
  BlockingStore* known_store(NodeNumber node);
  void read_map_if_doubted();
  std::optional<Error> read_map();

  const posix::ForkMark fork_;
  std::shared_ptr<Cluster> cluster_;
  std::mutex mutex_;  // of the list alone, which interrupt reads on another thread
  std::vector<std::unique_ptr<BlockingStore>> stores_;  // by the servers' numbers; null: not needed
  bool waits_ = true;
  bool is_doubted_ = false;  // the map
  BackOff back_off_;
};

}  // namespace interlock::redis
