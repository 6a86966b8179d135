// Callers that wait for a fair lock in the queue of the store, each for itself.
#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "places_in_queue.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using test::eventually;
using test::places_in_queue;

LockOptions fair() {
  LockOptions options;
  options.fair = true;
  return options;
}

// Each caller waits in the queue of the store, in no line of its process.
ClientOptions each_for_itself() {
  ClientOptions options;
  options.hand_over.sections = 1;
  return options;
}

TEST(FairLock, WaitersAreServedInTheOrderInWhichTheyCame) {
  constexpr std::size_t waiters = 6;
  const auto store = memory::backend();
  Client one(store, each_for_itself());
  Client other(store, each_for_itself());
  std::optional<AcquireResult> held(one.acquire("a", fair()));
  ASSERT_TRUE(*held);
  FencingToken last = (*held)->fencing();
  std::vector<std::size_t> served;  // guarded by the lock itself
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < waiters; ++number) {
    threads.emplace_back([&, number] {
      AcquireResult lock = (number % 2 == 0 ? one : other).acquire("a", fair());
      ASSERT_TRUE(lock) << lock.why_not();
      EXPECT_GT(lock->fencing(), last);
      last = lock->fencing();
      served.push_back(number);
    });
    EXPECT_TRUE(eventually([&] { return places_in_queue(*store, "a") == number + 1; }));
  }
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places_in_queue(*store, "a"), 0U);
}

TEST(FairLock, AWaiterThatGivesUpLeavesTheQueue) {
  const auto store = memory::backend();
  Client client(store, each_for_itself());
  std::optional<AcquireResult> held(client.acquire("a", fair()));
  std::stop_source stop;
  std::thread waiter([&] {
    LockOptions options = fair();
    options.stop = stop.get_token();
    const AcquireResult refused = client.acquire("a", options);
    ASSERT_NE(refused.error(), nullptr);
    EXPECT_EQ(refused.error()->code(), Errc::cancelled);
  });
  EXPECT_TRUE(eventually([&] { return places_in_queue(*store, "a") == 1; }));
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(places_in_queue(*store, "a"), 0U);
  LockOptions limited = fair();
  limited.wait = milliseconds{20};
  const AcquireResult busy = client.acquire("a", limited);
  EXPECT_NE(busy.busy(), nullptr);
  EXPECT_EQ(places_in_queue(*store, "a"), 0U);
}

TEST(FairLock, ExcludesOneThatIsNotFair) {
  Client client(memory::backend());
  std::optional<AcquireResult> held(client.acquire("a"));
  EXPECT_FALSE(client.try_acquire("a", fair()));
  std::thread waiter([&] {
    const AcquireResult lock = client.acquire("a", fair());
    EXPECT_TRUE(lock) << lock.why_not();
    EXPECT_FALSE(client.try_acquire("a"));
  });
  held.reset();
  waiter.join();
  EXPECT_TRUE(client.try_acquire("a"));
}

}  // namespace
}  // namespace interlock
