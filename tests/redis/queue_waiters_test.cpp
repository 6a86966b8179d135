// Waiters in a queue that a real server tells, or cannot tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/eventually.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::PlainRedis;
using test::RedisServer;
using test::RedisSettings;

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
    LockOptions confirms = fair();
    confirms.enters_by_offer = false;  // or its own place would stay until its release
    const AcquireResult lock = client.acquire(name, confirms);
    EXPECT_TRUE(lock) << lock.why_not();
    wait_for_places(redis, 1);  // the dead one's
  });
  wait_for_places(redis, 2);
  held.reset();
  waiter.join();
}

// A replica passes messages on to its own listeners, and a script that fails on it has published by
// then what came before its first write.
class OffersBesideAReplica : public ::testing::Test {
 protected:
  // A holder, and a waiter whose channel is heard at the replica alone, in both servers.
  void SetUp() override {
    ASSERT_EQ(listener_.command({"SUBSCRIBE", "ear"}), "[subscribe, ear, 1]");
    PlainRedis there(primary_);
    const LockKeys& keys = name.keys();
    there.command({"SET", keys.lock().text(), holder_.text(), "PX", "3600000"});
    there.command({"RPUSH", keys.queue().text(), "il1:waiter/fair w9999999999999 ear"});
    ASSERT_EQ(there.command({"WAIT", "1", "60000"}), "1");
  }
  Result<ReleaseOutcome> release_at(const RedisServer& server) {
    const auto store = (*backend(server.url()))->open();
    NoTime time;
    QueueLock lock(*store, time);
    const Ttl ttl(std::chrono::hours{1});
    return run(
        lock.release(Lease(name, holder_, FencingToken(), ttl, local_now(), SafetyMargin())));
  }
  // What came to the waiter's channel; "last" ends it.
  std::vector<std::string> heard() {
    PlainRedis(replica_).command({"PUBLISH", "ear", "last"});
    std::vector<std::string> all;
    for (;;) {
      std::string message = listener_.next();
      if (message == "[message, ear, last]") return all;
      all.push_back(std::move(message));
    }
  }

  const OwnerToken holder_{"il1:holder/fair"};
  RedisServer primary_;
  RedisServer replica_{test::replica_of(primary_)};
  PlainRedis listener_{replica_};
};

TEST_F(OffersBesideAReplica, AreNotMadeByAReplica) {
  const Result<ReleaseOutcome> released = release_at(replica_);
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code(), Errc::unavailable);
  for (const std::string& message : heard()) EXPECT_EQ(message, "[message, ear, il1:waiter/fair]");
}

TEST_F(OffersBesideAReplica, AreNotMadeToThoseThatListenThere) {
  EXPECT_EQ(*release_at(primary_), ReleaseOutcome::released);
  PlainRedis(primary_).command({"INCR", "written-last"});
  ASSERT_EQ(PlainRedis(primary_).command({"EXISTS", lock_key(name).text()}), "0");
  ASSERT_TRUE(test::eventually([&] {
    return PlainRedis(replica_).command({"GET", "written-last"}) == "1";
  }));
  for (const std::string& message : heard()) EXPECT_EQ(message, "[message, ear, il1:waiter/fair]");
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
