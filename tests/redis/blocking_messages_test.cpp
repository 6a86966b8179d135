// Messages for a store that blocks.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "interlock/posix/clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using test::ask;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::shown;
using ::testing::StartsWith;

TimePoint in(Duration duration) {
  return posix::local_now() + duration;
}
constexpr Duration soon = milliseconds{20};
constexpr Duration late = std::chrono::seconds{60};

class RedisBlockingMessages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server_.reset(); }

  SubscriptionId subscribe(const std::string& channel) {
    const Reply reply = ask(*store_, operation(OperationKind::subscribe, channel));
    EXPECT_TRUE(reply) << shown(reply);
    return reply ? *reply->number() : 0;
  }
  std::string await(SubscriptionId subscription, Duration limit) {
    Operation op(OperationKind::await_message);
    op.subscription = subscription;
    op.until = in(limit);
    return shown(ask(*store_, op));
  }
  void tell(OperationKind kind, SubscriptionId subscription) {
    Operation op(kind);
    op.subscription = subscription;
    EXPECT_TRUE(ask(*store_, op));
  }
  std::string publish(const std::string& channel) {
    return plain_.command({"PUBLISH", channel, ""});
  }

  static std::unique_ptr<RedisServer> server_;
  PlainRedis plain_{*server_};
  std::unique_ptr<KeyValueStore> store_ = (*backend(server_->url()))->open();
};
std::unique_ptr<RedisServer> RedisBlockingMessages::server_;

TEST_F(RedisBlockingMessages, AMessageAfterTheSubscriptionIsHeardOnce) {
  const auto subscription = subscribe("news");
  EXPECT_EQ(await(subscription, soon), "0");
  EXPECT_EQ(publish("news"), "1");
  EXPECT_EQ(publish("news"), "1");
  // Both may be in by the first look, or the second come a moment later.
  EXPECT_EQ(await(subscription, late), "1");
  while (await(subscription, soon) == "1") {
  }
  EXPECT_EQ(await(subscription, soon), "0");
}

TEST_F(RedisBlockingMessages, AConnectionThatTheServerHasForgottenIsReplacedAfterAWaitInVain) {
  test::FaultProxy network(server_->port());
  Options options = *parse_url("redis://127.0.0.1:" + std::to_string(network.port()));
  options.command_timeout = milliseconds{1000};
  store_ = backend(options)->open();
  const SubscriptionId subscription = subscribe("c");
  network.abandon();
  EXPECT_EQ(publish("c"), "0") << "the server knows of nobody";
  EXPECT_EQ(await(subscription, milliseconds{1010}), "0");
  EXPECT_EQ(await(subscription, late), "1") << "anything may have been missed";
  EXPECT_EQ(publish("c"), "1");
  EXPECT_EQ(await(subscription, late), "1");
}

// Each wait in vain asks, and the answer is mostly read by the next one, or by a subscription.
TEST_F(RedisBlockingMessages, AConnectionOnWhichNothingHappensIsKept) {
  Options options = *parse_url(server_->url());
  options.command_timeout = milliseconds{1000};
  store_ = backend(options)->open();
  const SubscriptionId subscription = subscribe("quiet");
  const auto of_clients = [&] { return plain_.command({"CLIENT", "LIST", "TYPE", "pubsub"}); };
  const std::string id = of_clients().substr(0, of_clients().find(' '));
  for (int wait = 0; wait < 4; ++wait) {
    await(subscription, milliseconds{1010});
    if (wait == 1) tell(OperationKind::unsubscribe, subscribe("other"));
  }
  EXPECT_THAT(of_clients(), StartsWith(id));
}

TEST_F(RedisBlockingMessages, AMessageEndsTheWait) {
  const auto subscription = subscribe("news");
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds{50});
    publish("news");
  });
  EXPECT_EQ(await(subscription, late), "1");
  other.join();
}

TEST_F(RedisBlockingMessages, EachSubscriptionHearsItsChannelAndOnlyIt) {
  const auto first = subscribe("a");
  const auto twin = subscribe("a");
  const auto other = subscribe("b");
  EXPECT_EQ(publish("a"), "1") << "one connection for all";
  EXPECT_EQ(await(first, late), "1");
  EXPECT_EQ(await(twin, late), "1");
  EXPECT_EQ(await(other, soon), "0");
}

TEST_F(RedisBlockingMessages, TheLastToUnsubscribeTellsTheServer) {
  const auto first = subscribe("a");
  const auto twin = subscribe("a");
  tell(OperationKind::unsubscribe, first);
  EXPECT_EQ(publish("a"), "1");
  EXPECT_EQ(await(twin, late), "1");
  tell(OperationKind::unsubscribe, twin);
  tell(OperationKind::unsubscribe, twin);
  const auto again = subscribe("other");
  EXPECT_EQ(publish("a"), "0");
  EXPECT_THAT(await(twin, soon), StartsWith("rejected: cannot wait"));
  EXPECT_EQ(await(again, soon), "0");
}

TEST_F(RedisBlockingMessages, AnInterruptionFromAnotherThreadEndsTheWait) {
  const auto subscription = subscribe("news");
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds{50});
    tell(OperationKind::interrupt, subscription);
  });
  EXPECT_EQ(await(subscription, late), "0");
  other.join();
  publish("news");
  EXPECT_EQ(await(subscription, late), "1");
}

TEST_F(RedisBlockingMessages, AnInterruptionBeforeTheWaitEndsTheNextOneOfItsSubscriptionAlone) {
  const auto first = subscribe("a");
  const auto second = subscribe("b");
  tell(OperationKind::interrupt, first);
  publish("b");
  EXPECT_EQ(await(second, late), "1");
  EXPECT_EQ(await(first, late), "0");
  EXPECT_EQ(await(first, soon), "0");
}

TEST_F(RedisBlockingMessages, ALostConnectionIsReplacedAndCountsAsAMessage) {
  const auto first = subscribe("a");
  const auto second = subscribe("b");
  EXPECT_EQ(await(first, soon), "0");
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds{50});
    plain_.command({"CLIENT", "KILL", "TYPE", "pubsub"});
  });
  EXPECT_EQ(await(first, late), "1");
  other.join();
  EXPECT_EQ(await(second, late), "1");
  EXPECT_EQ(await(second, soon), "0");
  EXPECT_EQ(publish("b"), "1");
  EXPECT_EQ(await(second, late), "1");
}

TEST_F(RedisBlockingMessages, SubscribingOnAConnectionThatBrokeMeanwhileWorks) {
  const auto first = subscribe("a");
  plain_.command({"CLIENT", "KILL", "TYPE", "pubsub"});
  const auto second = subscribe("b");
  EXPECT_EQ(publish("b"), "1");
  EXPECT_EQ(await(second, late), "1");
  EXPECT_EQ(await(first, late), "1");
}

TEST_F(RedisBlockingMessages, AServerThatIsGoneEndsTheSubscriptionWithAnError) {
  RedisServer server;
  store_ = (*backend(server.url()))->open();
  const auto subscription = subscribe("a");
  server.kill();
  EXPECT_THAT(await(subscription, late), StartsWith("unavailable: cannot connect"));
  EXPECT_THAT(await(subscription, late), StartsWith("rejected: cannot wait"));
}

TEST_F(RedisBlockingMessages, PublishingSaysHowManyHeardIt) {
  const auto subscription = subscribe("news");
  EXPECT_EQ(shown(ask(*store_, operation(OperationKind::publish, "news", "x"))), "1");
  EXPECT_EQ(shown(ask(*store_, operation(OperationKind::publish, "silence", "x"))), "0");
  EXPECT_EQ(await(subscription, late), "1");
}

}  // namespace
}  // namespace interlock::redis
