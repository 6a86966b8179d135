// Both stores of this backend against the suite that every store passes.
#include "../conformance/store_conformance.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "loop_world.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
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
