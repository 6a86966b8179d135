// A blocking store that sends a command and leaves its answer for later.
#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/pipelined_store.hpp"
#include "support/ask.hpp"
#include "support/eventually.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/scripted_redis.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::ask;
using test::Asked;
using test::eventually;
using test::FaultProxy;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::ScriptedRedis;
using test::shown;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Operation get(std::string key = "k") {
  return operation(OperationKind::get, std::move(key));
}
Operation claim(std::string owner) {
  return operation(OperationKind::claim, "lock", std::move(owner), milliseconds{60'000});
}
Operation release(std::string owner) {
  return operation(OperationKind::release, "lock", std::move(owner));
}

// Blocking stores of this backend are pipelined stores.
class Pipelined {
 public:
  explicit Pipelined(const std::string& url, Duration limit = seconds{5}) {
    Options options = *parse_url(url);
    options.command_timeout = limit;
    store_ = backend(options)->open();
  }
  PipelinedStore& operator*() { return dynamic_cast<PipelinedStore&>(*store_); }
  PipelinedStore* operator->() { return &**this; }
  // Sends it, and does not wait.
  std::unique_ptr<Asked> send(Operation operation) {
    (*this)->wait_for_answers(false);
    auto asked = std::make_unique<Asked>(**this, std::move(operation));
    (*this)->wait_for_answers(true);
    return asked;
  }

 private:
  std::unique_ptr<KeyValueStore> store_;
};

class RedisPipelined : public ::testing::Test {
 protected:
  bool is_held() { return plain_.command({"EXISTS", "lock"}) == "1"; }

  RedisServer server_;
  PlainRedis plain_{server_};
  FaultProxy proxy_{server_.port()};
  const std::string url_ = "redis://127.0.0.1:" + std::to_string(proxy_.port());
};

TEST_F(RedisPipelined, ACommandIsSentAtOnceAndItsAnswerIsTakenByTheNext) {
  Pipelined store(url_);
  ASSERT_TRUE(ask(*store, claim("il1:a")));
  proxy_.delay(milliseconds{30});
  const auto released = store.send(release("il1:a"));
  EXPECT_FALSE(released->done());
  EXPECT_TRUE(eventually([&] { return !is_held(); })) << "though nobody waits for the answer";
  EXPECT_EQ(shown(ask(*store, get("none"))), "nil");
  ASSERT_TRUE(released->done());
  EXPECT_EQ(shown(released->take()), "1");
}

// Else it would say that it does not know the script, and nobody would hear that soon.
TEST_F(RedisPipelined, AServerThatHasNotSeenTheScriptGetsItsText) {
  Pipelined store(url_);
  ASSERT_TRUE(ask(*store, claim("il1:a")));
  const auto released = store.send(release("il1:a"));
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_TRUE(store->take_answer(seconds{4}));
  EXPECT_EQ(shown(released->take()), "1");
}

TEST_F(RedisPipelined, AnAnswerCanBeTakenWithoutAnotherCommand) {
  Pipelined store(url_);
  EXPECT_TRUE(store->take_answer(Duration::zero())) << "none is outstanding";
  ASSERT_TRUE(ask(*store, get()));  // it is connected
  proxy_.delay(milliseconds{500});
  const auto got = store.send(get());
  EXPECT_FALSE(store->take_answer(Duration::zero()));
  EXPECT_FALSE(got->done());
  EXPECT_TRUE(store->take_answer(seconds{4}));
  EXPECT_EQ(shown(got->take()), "nil");
}

TEST_F(RedisPipelined, AnAnswerCanBeGivenUp) {
  Pipelined store(url_);
  ASSERT_TRUE(ask(*store, claim("il1:a")));
  proxy_.set(FaultProxy::Mode::swallow);
  const auto released = store.send(release("il1:a"));
  store->give_up_answer();
  ASSERT_TRUE(released->done());
  EXPECT_THAT(shown(released->take()), StartsWith("indeterminate: no answer from redis://"));
  proxy_.set(FaultProxy::Mode::forward);
  EXPECT_EQ(shown(ask(*store, get("none"))), "nil") << "on a connection of its own";
}

TEST_F(RedisPipelined, AnAnswerThatIsLateIsGivenUpByWhoLooksForIt) {
  Pipelined store(url_, milliseconds{1000});
  ASSERT_TRUE(ask(*store, get()));
  proxy_.set(FaultProxy::Mode::swallow);
  const auto got = store.send(get());
  EXPECT_FALSE(store->take_answer(milliseconds{20}));
  EXPECT_TRUE(eventually([&] { return store->take_answer(Duration::zero()); }));
  EXPECT_THAT(shown(got->take()), StartsWith("indeterminate"));
}

TEST_F(RedisPipelined, AServerThatForgotTheScriptGetsItAgain) {
  Pipelined store(url_);
  for (const bool takes_it_alone : {true, false}) {
    ASSERT_TRUE(ask(*store, claim("il1:a")));
    ASSERT_EQ(shown(ask(*store, release("il1:a"))), "1");  // so that it names it by its digest
    ASSERT_TRUE(ask(*store, claim("il1:a")));
    plain_.command({"SCRIPT", "FLUSH"});
    proxy_.delay(milliseconds{20});
    const auto released = store.send(release("il1:a"));
    if (!takes_it_alone) {
      EXPECT_EQ(shown(ask(*store, get("none"))), "nil");
    }
    EXPECT_TRUE(store->take_answer(seconds{4}));
    EXPECT_EQ(shown(released->take()), "1");
    EXPECT_FALSE(is_held());
    proxy_.delay(Duration::zero());
  }
}

TEST_F(RedisPipelined, TheCommandBehindIsUnknownIfTheConnectionBreaks) {
  // Says nothing until it has the claim, too, and then no whole reply.
  ScriptedRedis late({":1700000000000000\r\n", "", ":1"});
  proxy_.lead_to(late.port());
  Pipelined store(url_);
  ASSERT_TRUE(ask(*store, claim("il1:a")));
  proxy_.set(FaultProxy::Mode::half_replies);
  const auto released = store.send(release("il1:a"));
  EXPECT_THAT(shown(ask(*store, claim("il1:b"))), StartsWith("indeterminate"));
  ASSERT_TRUE(released->done());
  EXPECT_THAT(shown(released->take()), StartsWith("indeterminate"));
  proxy_.lead_to(server_.port());
  proxy_.set(FaultProxy::Mode::forward);
  EXPECT_EQ(shown(ask(*store, get("none"))), "nil");
}

// The connection was closed while nobody looked: nothing of the next command was sent into it.
TEST_F(RedisPipelined, ACommandAfterABrokenConnectionHasOneOfItsOwn) {
  Pipelined store(url_);
  ASSERT_TRUE(ask(*store, claim("il1:a")));
  proxy_.set(FaultProxy::Mode::drop_replies);
  const auto released = store.send(release("il1:a"));
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  proxy_.cut();
  EXPECT_TRUE(eventually([&] { return store->take_answer(Duration::zero()); }));
  EXPECT_THAT(shown(released->take()), StartsWith("indeterminate"));
  proxy_.set(FaultProxy::Mode::forward);
  EXPECT_EQ(shown(ask(*store, get("none"))), "nil");
}

Task<Reply> again_after_failure(KeyValueStore* store, Operation operation) {
  Reply first = co_await test::RawOperation(*store, operation);
  if (first) co_return first;
  co_return co_await test::RawOperation(*store, operation);
}

// It is a thread with other work to do that finds out about the failure.
TEST_F(RedisPipelined, WhoFailsCannotAskAgainMeanwhile) {
  Pipelined store(url_);
  ASSERT_TRUE(ask(*store, get()));
  proxy_.set(FaultProxy::Mode::swallow);
  store->wait_for_answers(false);
  Task<Reply> asking = again_after_failure(&*store, get());
  asking.start();
  store->wait_for_answers(true);
  store->give_up_answer();
  ASSERT_TRUE(asking.done());
  EXPECT_THAT(shown(asking.take()),
              AllOf(StartsWith("unavailable: no answer"), HasSubstr("it was not there in time")));
}

// The client waits for one round trip where it waited for two: this server answers the release only
// when it has got the claim that follows.
TEST(RedisPipelinedReplies, AreWaitedForTogether) {
  ScriptedRedis server({":1700000000000000\r\n", "", ":1\r\n:1700000000000001\r\n"});
  Pipelined store(server.url());
  ASSERT_EQ(shown(ask(*store, claim("il1:a"))), "[1, 1700000000000000]");
  const auto released = store.send(release("il1:a"));
  EXPECT_EQ(shown(ask(*store, claim("il1:b"))), "[1, 1700000000000001]");
  ASSERT_TRUE(released->done());
  EXPECT_EQ(shown(released->take()), "1");
}

// The second command's answer would be the first one's.
TEST(RedisPipelinedReplies, AReplyTooManyGrantsNothing) {
  constexpr const char* grant = ":1700000000000000\r\n";
  for (const char* doubled : {":1\r\n:1\r\n", ":1700000000000000\r\n:1\r\n"}) {
    ScriptedRedis server({grant, doubled, "*4\r\n:0\r\n$5\r\nil1:c\r\n:30000\r\n:1\r\n"});
    Pipelined store(server.url());
    ASSERT_EQ(shown(ask(*store, claim("il1:a"))), "[1, 1700000000000000]");
    const auto released = store.send(release("il1:a"));
    const std::string answer = shown(ask(*store, claim("il1:b")));
    EXPECT_TRUE(answer.starts_with("[0, ") || answer.starts_with("indeterminate")) << answer;
    EXPECT_TRUE(released->done());
    static_cast<void>(released->take());
  }
}

}  // namespace
}  // namespace interlock::redis
