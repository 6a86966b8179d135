// Messages on an event loop.
#include <gmock/gmock.h>

#include <deque>

#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"

namespace interlock::redis {
namespace {

using test::Asked;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::shown;
using test::TestReactor;
using ::testing::StartsWith;

constexpr Duration soon = milliseconds{20};
constexpr Duration late = std::chrono::seconds{60};

class RedisAsyncMessages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server_.reset(); }

  std::string answer(Operation op) {
    Asked asked(*store_, std::move(op));
    return finished(asked);
  }
  std::string finished(Asked& asked) {
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  SubscriptionId subscribe(const std::string& channel) {
    return std::stol(answer(operation(OperationKind::subscribe, channel)));
  }
  Operation waiting(SubscriptionId subscription, Duration limit) {
    Operation op(OperationKind::await_message);
    op.subscription = subscription;
    op.until = reactor_.now() + limit;
    return op;
  }
  std::string await(SubscriptionId subscription, Duration limit) {
    return answer(waiting(subscription, limit));
  }
  // Answered inside submit().
  void tell(OperationKind kind, SubscriptionId subscription) {
    Operation op(kind);
    op.subscription = subscription;
    Asked asked(*store_, op);
    EXPECT_TRUE(asked.done());
  }
  std::string publish(const std::string& channel) {
    return plain_.command({"PUBLISH", channel, ""});
  }

  static std::unique_ptr<RedisServer> server_;
  PlainRedis plain_{*server_};
  TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_ = (*backend(server_->url()))->open_on(reactor_);
};
std::unique_ptr<RedisServer> RedisAsyncMessages::server_;

TEST_F(RedisAsyncMessages, AMessageAfterTheSubscriptionIsHeardOnce) {
  const auto subscription = subscribe("news");
  EXPECT_EQ(await(subscription, soon), "0");
  EXPECT_EQ(publish("news"), "1");
  EXPECT_EQ(await(subscription, late), "1");
  EXPECT_EQ(await(subscription, soon), "0");
}

TEST_F(RedisAsyncMessages, AMessageThatCameBetweenTwoWaitsIsKept) {
  const auto subscription = subscribe("news");
  EXPECT_EQ(publish("news"), "1");
  EXPECT_EQ(publish("news"), "1");
  reactor_.run_for(soon);
  EXPECT_EQ(await(subscription, late), "1");
  EXPECT_EQ(await(subscription, soon), "0");
}

TEST_F(RedisAsyncMessages, AMessageEndsEveryWaitOnItsChannelAndNoOther) {
  std::deque<Asked> waits;
  for (int count = 0; count < 10; ++count) {
    waits.emplace_back(*store_, waiting(subscribe("a"), late));
  }
  const auto other = subscribe("b");
  EXPECT_EQ(publish("a"), "1") << "one subscription at the server";
  for (Asked& wait : waits) EXPECT_EQ(finished(wait), "1");
  EXPECT_EQ(await(other, soon), "0");
}

TEST_F(RedisAsyncMessages, TheLastToUnsubscribeTellsTheServer) {
  const auto first = subscribe("a");
  const auto twin = subscribe("a");
  tell(OperationKind::unsubscribe, first);
  EXPECT_EQ(publish("a"), "1");
  EXPECT_EQ(await(twin, late), "1");
  tell(OperationKind::unsubscribe, twin);
  tell(OperationKind::unsubscribe, twin);
  const auto marker = subscribe("b");
  EXPECT_EQ(publish("a"), "0");
  EXPECT_THAT(await(twin, soon), StartsWith("rejected: cannot wait"));
  tell(OperationKind::unsubscribe, marker);
}

TEST_F(RedisAsyncMessages, SubscribingAnewBeforeTheServerHasForgottenWorks) {
  SubscriptionId subscription = subscribe("a");
  for (int round = 0; round < 50; ++round) {
    tell(OperationKind::unsubscribe, subscription);
    subscription = subscribe("a");
    ASSERT_EQ(publish("a"), "1");
    ASSERT_EQ(await(subscription, late), "1");
  }
}

TEST_F(RedisAsyncMessages, AnInterruptionEndsTheWaitAfterTheCall) {
  const auto subscription = subscribe("news");
  Asked wait(*store_, waiting(subscription, late));
  reactor_.run_for(soon);
  tell(OperationKind::interrupt, subscription);
  EXPECT_FALSE(wait.done()) << "nobody is resumed inside submit";
  EXPECT_EQ(finished(wait), "0");
  publish("news");
  EXPECT_EQ(await(subscription, late), "1");
}

TEST_F(RedisAsyncMessages, AnInterruptionBeforeTheWaitEndsTheNextOne) {
  const auto subscription = subscribe("news");
  tell(OperationKind::interrupt, subscription);
  EXPECT_EQ(await(subscription, late), "0");
  EXPECT_EQ(await(subscription, soon), "0");
}

TEST_F(RedisAsyncMessages, ALostConnectionIsReplacedAndCountsAsAMessageToAll) {
  const auto first = subscribe("a");
  const auto second = subscribe("b");
  Asked wait(*store_, waiting(first, late));
  reactor_.run_for(soon);
  EXPECT_FALSE(wait.done());
  plain_.command({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_EQ(finished(wait), "1");
  EXPECT_EQ(await(second, late), "1");
  EXPECT_EQ(await(second, soon), "0");
  EXPECT_EQ(publish("b"), "1");
  EXPECT_EQ(await(second, late), "1");
}

TEST_F(RedisAsyncMessages, AServerThatIsAwayIsAwaitedAndItsReturnCountsAsAMessage) {
  RedisServer server;
  store_ = (*backend(server.url()))->open_on(reactor_);
  const auto subscription = subscribe("a");
  server.kill();
  EXPECT_EQ(await(subscription, milliseconds{100}), "0");
  EXPECT_THAT(answer(operation(OperationKind::subscribe, "b")),
              StartsWith("unavailable: cannot connect"));
  server.start();
  EXPECT_EQ(await(subscription, late), "1");
  EXPECT_EQ(PlainRedis(server).command({"PUBLISH", "a", ""}), "1");
  EXPECT_EQ(await(subscription, late), "1");
}

// Found by the fault suite: a waiter on a half-open connection was deaf for ever.
TEST_F(RedisAsyncMessages, AConnectionThatTheServerHasForgottenIsReplacedAfterAWaitInVain) {
  test::FaultProxy network(server_->port());
  Options options = *parse_url("redis://127.0.0.1:" + std::to_string(network.port()));
  options.command_timeout = milliseconds{1000};
  store_ = backend(options)->open_on(reactor_);
  const SubscriptionId subscription = subscribe("c");
  network.abandon();
  EXPECT_EQ(publish("c"), "0") << "the server knows of nobody";
  EXPECT_EQ(await(subscription, milliseconds{1010}), "0");
  EXPECT_EQ(await(subscription, late), "1") << "anything may have been missed";
  EXPECT_EQ(publish("c"), "1");
  EXPECT_EQ(await(subscription, late), "1");
}

TEST_F(RedisAsyncMessages, AUserWithoutTheChannelIsRefused) {
  plain_.command({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "&allowed", "+@all"});
  store_ =
      (*backend("redis://deaf:pw@127.0.0.1:" + std::to_string(server_->port())))->open_on(reactor_);
  Asked refused(*store_, operation(OperationKind::subscribe, "secret"));
  Asked allowed(*store_, operation(OperationKind::subscribe, "allowed"));
  EXPECT_THAT(finished(refused), StartsWith("rejected: NOPERM"));
  EXPECT_EQ(finished(allowed), "2");
}

TEST_F(RedisAsyncMessages, AStoreThatGoesEndsEveryWait) {
  Asked first(*store_, waiting(subscribe("a"), late));
  Asked second(*store_, waiting(subscribe("a"), late));
  Asked unsubscribed(*store_, operation(OperationKind::subscribe, "b"));
  store_.reset();
  for (Asked* each : {&first, &second, &unsubscribed}) {
    ASSERT_TRUE(each->done());
    EXPECT_THAT(shown(each->take()), StartsWith("unavailable: "));
  }
}

Task<std::string> wait_and_end(std::unique_ptr<KeyValueStore>* store, Operation wait) {
  const Reply reply = co_await test::reply_to(store->get(), std::move(wait));
  store->reset();
  co_return shown(reply);
}

TEST_F(RedisAsyncMessages, AMessageMayEndTheStore) {
  auto ending = wait_and_end(&store_, waiting(subscribe("a"), late));
  ending.start();
  Asked other(*store_, waiting(subscribe("a"), late));
  publish("a");
  ASSERT_TRUE(reactor_.run_until([&] { return ending.done(); }));
  EXPECT_EQ(ending.take(), "1");
  ASSERT_TRUE(other.done()) << "completed before the store went";
  EXPECT_EQ(shown(other.take()), "1");
}

}  // namespace
}  // namespace interlock::redis
