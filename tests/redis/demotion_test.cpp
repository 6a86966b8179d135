// A primary that becomes a replica and lives, as in a planned failover: connections stay, and an
// address (a DNS name, a load balancer) leads new ones to its successor.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::Asked;
using test::FaultProxy;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::replica_of;
using test::shown;
using ::testing::StartsWith;

// Tells when somebody waits.
class WaitingSink final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::waiting && !told_.exchange(true)) waits_.set_value();
  }
  void wait_until_somebody_waits() { waits_.get_future().get(); }

 private:
  std::atomic<bool> told_ = false;
  std::promise<void> waits_;
};

class Demotion : public ::testing::TestWithParam<bool> {
 protected:
  std::shared_ptr<Backend> through_proxy() const {
    return *backend("redis://127.0.0.1:" + std::to_string(proxy_.port()));
  }
  void change_over() {
    PlainRedis plain(old_primary_);
    plain.command({"INCR", "written-last"});
    ASSERT_EQ(plain.command({"WAIT", "1", "10000"}), "1");
    new_primary_.promote();
    old_primary_.demote(new_primary_.port());
    proxy_.lead_to(new_primary_.port());
  }

  RedisServer old_primary_;
  RedisServer new_primary_{replica_of(old_primary_)};
  FaultProxy proxy_{old_primary_.port()};
};

class OfLocks : public Demotion {};
INSTANTIATE_TEST_SUITE_P(Demotion, OfLocks, ::testing::Bool(), [](const auto& fair) {
  return fair.param ? "Fair" : "Plain";
});

TEST_P(OfLocks, AWaiterGoesOnWithTheNewPrimary) {
  LockOptions options(Ttl(seconds{6}));
  options.fair = GetParam();
  options.wait = seconds{60};
  Client holder(through_proxy());
  AcquireResult held = holder.acquire("job", options);
  ASSERT_TRUE(held) << held.why_not();

  WaitingSink sink;
  ClientOptions waiting;
  waiting.events = &sink;
  Client waiter(through_proxy(), waiting);
  auto entered = std::async(std::launch::async, [&] { return waiter.acquire("job", options); });
  sink.wait_until_somebody_waits();
  change_over();
  std::this_thread::sleep_for(milliseconds{2500});
  EXPECT_EQ(held->state(), LeaseState::held) << "renewed at the new primary";
  static_cast<void>(held->release());

  const AcquireResult acquired = entered.get();
  EXPECT_TRUE(acquired) << acquired.why_not();
}

// Both kinds of store.
class OfStores : public Demotion {
 protected:
  std::string answer(Operation op) {
    Asked asked(*store_, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  std::string claim() {
    return answer(operation(OperationKind::claim, "k", "il1:a", milliseconds{60'000}));
  }

  test::TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_ =
      GetParam() ? through_proxy()->open_on(reactor_) : through_proxy()->open();
};
INSTANTIATE_TEST_SUITE_P(Demotion, OfStores, ::testing::Bool(), [](const auto& on_loop) {
  return on_loop.param ? "OnALoop" : "Blocking";
});

TEST_P(OfStores, TheRefusalIsNoAnswerForGoodAndEndsTheConnection) {
  EXPECT_EQ(claim().substr(0, 4), "[1, ");
  change_over();
  EXPECT_EQ(claim().substr(0, 21), "unavailable: READONLY");
  EXPECT_EQ(claim().substr(0, 4), "[1, ");
  EXPECT_EQ(proxy_.connections(), 2);
}

// --- who listens ---------------------------------------------------------------------------------

class Listening : public Demotion {
 protected:
  std::string answer(Operation op) {
    Asked asked(*store_, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  std::string claim() {
    return answer(operation(OperationKind::claim, "k", "il1:a", milliseconds{60'000}));
  }
  // Whether its connection was found broken before a command was sent, or after it.
  bool is_granted_in_the_end() {
    for (int tries = 0; tries < 5; ++tries) {
      if (claim().starts_with("[1, ")) return true;
    }
    return false;
  }
  void subscribe(const std::string& channel) {
    EXPECT_THAT(answer(operation(OperationKind::subscribe, channel)),
                ::testing::MatchesRegex("[0-9]+"));
  }
  // At the new primary.
  bool is_listened_to(const std::string& channel) {
    PlainRedis there(new_primary_);
    const std::string one = "[" + channel + ", 1]";
    return reactor_.run_until([&] { return there.command({"PUBSUB", "NUMSUB", channel}) == one; });
  }

  const std::string wake_up_ = "interlock:ear:il1:somebody";
  test::TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_ = through_proxy()->open_on(reactor_);
};

TEST_F(Listening, MovesToTheNewPrimaryWithTheCommands) {
  EXPECT_THAT(claim(), StartsWith("[1, "));
  subscribe(wake_up_);
  change_over();
  EXPECT_THAT(claim(), StartsWith("unavailable: READONLY"));
  EXPECT_THAT(claim(), StartsWith("[1, "));
  EXPECT_TRUE(is_listened_to(wake_up_));
}

// The commands never hear of it that the primary was demoted.
TEST_F(Listening, MovesWhenTheConnectionForCommandsAloneBroke) {
  EXPECT_THAT(claim(), StartsWith("[1, "));
  subscribe(wake_up_);
  change_over();
  PlainRedis(old_primary_).command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  EXPECT_TRUE(is_granted_in_the_end());
  EXPECT_TRUE(is_listened_to(wake_up_));
}

// A channel on which others may listen, too, says nothing of who does.
TEST_F(Listening, MovesWithTheFirstEarOnTheOldConnection) {
  EXPECT_THAT(claim(), StartsWith("[1, "));
  subscribe("{k}:interlock:released");
  change_over();
  EXPECT_THAT(claim(), StartsWith("unavailable: READONLY"));
  EXPECT_THAT(claim(), StartsWith("[1, "));
  subscribe(wake_up_);
  EXPECT_TRUE(is_listened_to(wake_up_));
}

TEST_F(Listening, StaysWhereItIsHeard) {
  const auto published = [&] {
    const std::string stats = PlainRedis(old_primary_).command({"INFO", "commandstats"});
    return stats.find("cmdstat_publish:") != std::string::npos;
  };
  EXPECT_THAT(claim(), StartsWith("[1, "));
  subscribe(wake_up_);
  EXPECT_THAT(claim(), StartsWith("[1, "));
  EXPECT_FALSE(published()) << "no connection is in doubt";
  PlainRedis(old_primary_).command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  EXPECT_TRUE(is_granted_in_the_end());
  EXPECT_TRUE(reactor_.run_until(published));
  EXPECT_THAT(claim(), StartsWith("[1, "));
  EXPECT_EQ(proxy_.connections(), 3) << "two for commands, and one for messages";
}

// A blocking store asks nobody: it listens where its newest connection for commands leads.
TEST_F(Listening, OfABlockingStoreMovesWithTheNextWait) {
  store_ = through_proxy()->open();
  EXPECT_THAT(claim(), StartsWith("[1, "));
  subscribe(wake_up_);
  change_over();
  EXPECT_THAT(claim(), StartsWith("unavailable: READONLY"));
  EXPECT_THAT(claim(), StartsWith("[1, "));
  Operation wait(OperationKind::await_message);
  wait.subscription = 1;
  wait.until = local_now() + seconds{20};
  EXPECT_EQ(answer(std::move(wait)), "1") << "look again: something may have been missed";
  EXPECT_TRUE(is_listened_to(wake_up_));
}

// There is always something under way on the old connection.
TEST_P(OfStores, ABusyConnectionIsLeftToo) {
  if (!GetParam()) return;  // of a blocking one
  EXPECT_EQ(claim().substr(0, 4), "[1, ");
  change_over();
  constexpr int rounds = 50;
  int granted = 0;
  const auto go_on = [](KeyValueStore* store, int number, int* served) -> Task<void> {
    for (int round = 0; round < rounds; ++round) {
      Operation op = operation(OperationKind::set, "k" + std::to_string(number), "v");
      const Reply reply = co_await test::reply_to(store, std::move(op));
      if (reply) ++*served;
    }
  };
  std::vector<Task<void>> tasks;
  for (int number = 0; number < 3; ++number) {
    tasks.push_back(go_on(store_.get(), number, &granted));
    tasks.back().start();
  }
  ASSERT_TRUE(
      reactor_.run_until([&] { return tasks[0].done() && tasks[1].done() && tasks[2].done(); }));
  EXPECT_GE(granted, 3 * (rounds - 2));
}

}  // namespace
}  // namespace interlock::redis
