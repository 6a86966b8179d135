// Waiters in a queue that a real server tells, or cannot tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::PlainRedis;
using test::RedisServer;

class NoTime final : public TimeSource {
 public:
  TimePoint now() override { return local_now(); }
  bool park(PendingSleep&) override { return false; }
  void wake(PendingSleep&) override {}
};

const LockName name = *LockName::parse("a");

// Offers that stand for longer than any test; and each caller waits in the queue of the store, in
// no line of its process.
ClientOptions patient() {
  ClientOptions options;
  options.hand_over.sections = 1;
  options.queue_policy.claim_window = std::chrono::hours{1};
  return options;
}

LockOptions fair() {
  LockOptions options;
  options.fair = true;
  options.ttl = Ttl(std::chrono::hours{1});
  options.wait = seconds{60};
  return options;
}

void wait_for_places(PlainRedis& redis, int places) {
  const std::string queue = queue_key(lock_key(name)).text();
  while (redis.command({"LLEN", queue}) != std::to_string(places)) std::this_thread::yield();
}

// Its process was killed: its connection is closed, and its place is still there.
void queue_up_and_die(Backend& backend) {
  const auto store = backend.open();
  NoTime time;
  QueueLock lock(*store, time);
  const OwnerToken owner("il1:0123:1@host/fair");
  const auto outcome =
      run(lock.queue_up(name, owner, Ttl(std::chrono::hours{1}), Channel("nobody"), Asks::first));
  ASSERT_TRUE(outcome && std::holds_alternative<Busy>(*outcome));
}

TEST(QueueWaiters, OneThatListensNoMoreIsPassedOverAtOnce) {
  const RedisServer server;
  PlainRedis redis(server);
  const auto store = *backend(server.url());
  Client client(store, patient());
  std::optional<AcquireResult> held(client.acquire(name, fair()));
  ASSERT_TRUE(*held);
  queue_up_and_die(*store);
  std::thread waiter([&] {
    const AcquireResult lock = client.acquire(name, fair());
    EXPECT_TRUE(lock) << lock.why_not();
    wait_for_places(redis, 2);  // the dead one's, and its own: it has entered by the message
  });
  wait_for_places(redis, 2);
  held.reset();
  waiter.join();
}

TEST(QueueWaiters, ManyAreServedAsTheyCameAndLeaveNothingBehind) {
  constexpr int waiters = 40;  // more than are read from the queue at once
  const RedisServer server;
  PlainRedis redis(server);
  Client one(*backend(server.url()), patient());
  Client other(*backend(server.url()), patient());
  std::optional<AcquireResult> held(one.acquire(name, fair()));
  ASSERT_TRUE(*held);
  std::vector<int> served;  // guarded by the lock itself
  std::vector<std::thread> threads;
  for (int number = 0; number < waiters; ++number) {
    threads.emplace_back([&, number] {
      const AcquireResult lock = (number % 2 == 0 ? one : other).acquire(name, fair());
      EXPECT_TRUE(lock) << lock.why_not();
      served.push_back(number);
    });
    wait_for_places(redis, number + 1);
  }
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(std::is_sorted(served.begin(), served.end()));
  EXPECT_EQ(served.size(), static_cast<std::size_t>(waiters));
  wait_for_places(redis, 0);
}

}  // namespace
}  // namespace interlock::redis
