#include "interlock/redis/redis_backend.hpp"

#include "async_cluster_store.hpp"
#include "async_store.hpp"
#include "blocking_cluster_store.hpp"
#include "blocking_store.hpp"
#include "endpoint.hpp"
#include "inspect.hpp"
#include "inspect_cluster.hpp"
#include "lock_search.hpp"

namespace interlock::redis {
namespace {

class RedisBackend final : public Backend {
 public:
  explicit RedisBackend(Options options)
      : quarantine_(options.quarantine),
        retention_(options.retention),
        endpoint_(std::make_shared<Endpoint>(std::move(options))) {}

  std::unique_ptr<KeyValueStore> open() override {
    return std::make_unique<BlockingStore>(endpoint_);
  }
  std::unique_ptr<KeyValueStore> open_on(Reactor& reactor) override {
    return std::make_unique<AsyncStore>(endpoint_, reactor);
  }
  std::string description() const override { return endpoint_->name(); }
  std::optional<Quarantine> quarantine() const override { return quarantine_; }
  Retention retention() const override { return retention_; }
  Result<std::vector<Finding>> inspect() override { return inspect_of(std::nullopt); }
  Result<std::vector<Finding>> inspect_for(const LockName& lock) override {
    return inspect_of(lock);
  }
  Result<std::vector<Key>> held_locks() override { return find_held_locks(endpoint_); }
  std::unique_ptr<LockSearch> search_locks() override { return redis::search_locks(endpoint_); }

 private:
  Result<std::vector<Finding>> inspect_of(std::optional<LockName> lock) {
    InspectedStore store;
    store.quarantine = quarantine_;
    store.lock = std::move(lock);
    return inspect_server(endpoint_, std::move(store));
  }

  const std::optional<Quarantine> quarantine_;
  const Retention retention_;
  std::shared_ptr<Endpoint> endpoint_;
};

// A whole cluster.
class ClusterBackend final : public Backend {
 public:
  explicit ClusterBackend(const Options& options)
      : retention_(options.retention), cluster_(std::make_shared<Cluster>(options)) {}

  std::unique_ptr<KeyValueStore> open() override {
    return std::make_unique<BlockingClusterStore>(cluster_);
  }
  std::unique_ptr<KeyValueStore> open_on(Reactor& reactor) override {
    return std::make_unique<AsyncClusterStore>(cluster_, reactor);
  }
  std::string description() const override { return cluster_->name(); }
  Retention retention() const override { return retention_; }
  Result<std::vector<Finding>> inspect() override {
    return inspect_cluster(cluster_, std::nullopt);
  }
  Result<std::vector<Finding>> inspect_for(const LockName& lock) override {
    return inspect_cluster(cluster_, lock);
  }
  Result<std::vector<Key>> held_locks() override { return find_held_locks(cluster_); }
  std::unique_ptr<LockSearch> search_locks() override { return redis::search_locks(cluster_); }

 private:
  const Retention retention_;
  std::shared_ptr<Cluster> cluster_;
};

}  // namespace

std::shared_ptr<Backend> backend(Options options) {
  if (!options.cluster.empty()) return std::make_shared<ClusterBackend>(options);
  return std::make_shared<RedisBackend>(std::move(options));
}

Result<std::shared_ptr<Backend>> backend(std::string_view url) {
  auto options = parse_url(url);
  if (!options) return std::move(options).error();
  return backend(*std::move(options));
}

}  // namespace interlock::redis
