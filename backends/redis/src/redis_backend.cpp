#include "interlock/redis/redis_backend.hpp"

#include "async_store.hpp"
#include "blocking_store.hpp"
#include "endpoint.hpp"
#include "inspect.hpp"

namespace interlock::redis {
namespace {

class RedisBackend final : public Backend {
 public:
  explicit RedisBackend(Options options)
      : endpoint_(std::make_shared<Endpoint>(std::move(options))) {}

  std::unique_ptr<KeyValueStore> open() override {
    return std::make_unique<BlockingStore>(endpoint_);
  }
  std::unique_ptr<KeyValueStore> open_on(Reactor& reactor) override {
    return std::make_unique<AsyncStore>(endpoint_, reactor);
  }
  std::string description() const override { return endpoint_->name(); }
  Result<std::vector<Finding>> inspect() override { return inspect_server(endpoint_); }
  Result<std::vector<Key>> held_locks() override { return find_held_locks(endpoint_); }

 private:
  std::shared_ptr<Endpoint> endpoint_;
};

}  // namespace

std::shared_ptr<Backend> backend(Options options) {
  return std::make_shared<RedisBackend>(std::move(options));
}

Result<std::shared_ptr<Backend>> backend(std::string_view url) {
  auto options = parse_url(url);
  if (!options) return std::move(options).error();
  return backend(*std::move(options));
}

}  // namespace interlock::redis
