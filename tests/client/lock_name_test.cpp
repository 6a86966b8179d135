// Names that several threads use at once. Here and not beside the other tests of core, because
// those start no threads.
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

TEST(LockName, HasOneSetOfKeysHoweverManyThreadsAskForItFirst) {
  constexpr int rounds = 200;
  constexpr std::size_t number = 4;
  for (int round = 0; round < rounds; ++round) {
    const LockName name = LockName::parse("a name of more than fifteen bytes").value();
    std::latch all(number);
    std::vector<const LockKeys*> seen(number);
    std::vector<std::thread> threads;
    for (const LockKeys*& keys : seen) {
      threads.emplace_back([&all, &keys, copy = name] {
        all.arrive_and_wait();
        keys = &copy.keys();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const LockKeys* keys : seen) EXPECT_EQ(keys, &name.keys());
  }
}

}  // namespace
}  // namespace interlock
