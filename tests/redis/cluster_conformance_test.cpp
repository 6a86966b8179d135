// Both stores of a whole cluster against the suite that every store passes.
#include "../conformance/store_conformance.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "loop_world.hpp"
#include "support/redis_cluster.hpp"

namespace interlock::testing_support {
namespace {

// One cluster for all tests, emptied for each; it ends with the program.
std::shared_ptr<Backend> empty_backend() {
  static test::RedisCluster running;
  running.empty();
  return *redis::backend(running.url());
}

INSTANTIATE_TEST_SUITE_P(RedisClusterBlocking, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<BlockingWorld>(empty_backend());
                         })));
INSTANTIATE_TEST_SUITE_P(RedisClusterOnALoop, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<LoopWorld>(empty_backend());
                         })));

}  // namespace
}  // namespace interlock::testing_support
