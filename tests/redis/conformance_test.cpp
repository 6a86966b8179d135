// Both stores of this backend against the suite that every store passes.
#include "../conformance/store_conformance.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"
#include "support/tls_server.hpp"

namespace interlock::testing_support {
namespace {

// One server for all tests, emptied for each; it ends with the program.
test::TlsServer& server() {
  static const test::Certificates certificates;
  static test::TlsServer running(certificates);
  return running;
}

std::shared_ptr<Backend> empty_backend() {
  test::PlainRedis(server().plain()).command({"FLUSHALL"});
  return *redis::backend(server().plain().url());
}

std::shared_ptr<Backend> empty_backend_with_tls() {
  test::PlainRedis(server().plain()).command({"FLUSHALL"});
  return *redis::backend(server().url());
}

class LoopWorld final : public StoreWorld {
 public:
  explicit LoopWorld(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  std::unique_ptr<KeyValueStore> open() override { return backend_->open_on(reactor_); }
  void complete(Task<void> task) override {
    task.start();
    ASSERT_TRUE(reactor_.run_until([&] { return task.done(); }));
  }
  void complete_together(Task<void> waiting, Task<void> meanwhile) override {
    waiting.start();
    reactor_.run_for(milliseconds{5});
    meanwhile.start();
    ASSERT_TRUE(reactor_.run_until([&] { return waiting.done() && meanwhile.done(); }));
  }
  TimePoint local_now() override { return reactor_.now(); }
  void advance(Duration time) override { reactor_.run_for(time); }

 private:
  std::shared_ptr<Backend> backend_;
  test::TestReactor reactor_;
};

INSTANTIATE_TEST_SUITE_P(RedisBlocking, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<BlockingWorld>(empty_backend());
                         })));
INSTANTIATE_TEST_SUITE_P(RedisOnALoop, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<LoopWorld>(empty_backend());
                         })));
INSTANTIATE_TEST_SUITE_P(RedisBlockingTls, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<BlockingWorld>(empty_backend_with_tls());
                         })));
INSTANTIATE_TEST_SUITE_P(RedisOnALoopTls, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<LoopWorld>(empty_backend_with_tls());
                         })));

}  // namespace
}  // namespace interlock::testing_support
