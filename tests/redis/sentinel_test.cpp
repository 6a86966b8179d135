// A primary that Sentinels find: with scripted ones, which say what a test wants, and with real
// ones, which replace it.
#include <gmock/gmock.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/certificates.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/scripted_redis.hpp"
#include "support/sentinel_trio.hpp"
#include "support/test_reactor.hpp"
#include "support/tls_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::ask;
using test::Asked;
using test::bulk;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::ScriptedRedis;
using test::SentinelTrio;
using test::shown;
using test::TestReactor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string array(const std::vector<std::string>& texts) {
  std::string all = "*" + std::to_string(texts.size()) + "\r\n";
  for (const std::string& text : texts) all += bulk(text);
  return all;
}
// What a Sentinel says of the primary.
std::string address_of(const RedisServer& server) {
  return array({"127.0.0.1", std::to_string(server.port())});
}

Operation get() {
  return operation(OperationKind::get, "k");
}

// Two servers that know nothing of each other; "k" tells which one answers.
class RedisSentinel : public ::testing::Test {
 protected:
  RedisSentinel() {
    PlainRedis(first_).command({"SET", "k", "first"});
    PlainRedis(second_).command({"SET", "k", "second"});
  }
  static std::shared_ptr<Backend> watched_by(const std::vector<int>& ports,
                                             Duration limit = seconds{10}) {
    Options options;
    options.sentinel.emplace();
    options.sentinel->primary = "mine";
    for (const int port : ports) {
      options.sentinel->addresses.push_back({"127.0.0.1", static_cast<std::uint16_t>(port)});
    }
    options.connect_timeout = seconds{10};
    options.command_timeout = limit;
    return backend(options);
  }
  std::string on_loop(KeyValueStore& store, Operation op = get()) {
    Asked asked(store, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }

  // Asks until the store answers. A question that was on its way when the store heard of another
  // primary ends without an answer, too.
  template <class Ask>
  std::string soon(Ask asks) {
    const TimePoint end = reactor_.now() + seconds{10};
    std::string said = asks();
    const auto unanswered = [&] {
      return said.starts_with("unavailable") || said.starts_with("indeterminate");
    };
    while (unanswered() && reactor_.now() < end) said = asks();
    return said;
  }

  RedisServer first_;
  RedisServer second_;
  TestReactor reactor_;
};

TEST_F(RedisSentinel, TheFirstThatAnswersSaysWhereThePrimaryIs) {
  const ScriptedRedis sentinel({address_of(second_)});
  const auto found = watched_by({test::free_port(), sentinel.port()});
  EXPECT_EQ(shown(ask(*found->open(), get())), "\"second\"");
  EXPECT_EQ(on_loop(*found->open_on(reactor_)), "\"second\"");
}

TEST_F(RedisSentinel, AServerThatIsAReplicaIsNotTakenAndAnotherSentinelIsAsked) {
  const RedisServer replica(test::replica_of(first_));
  const ScriptedRedis behind({address_of(replica)});
  const ScriptedRedis knowing({address_of(first_)});
  const auto found = watched_by({behind.port(), knowing.port()});
  const auto store = found->open();
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("unavailable: cannot connect to redis+sentinel://127.0.0.1:"),
                    HasSubstr("is no primary (slave)")));
  EXPECT_EQ(soon([&] { return shown(ask(*store, get())); }), "\"first\"");
}

TEST_F(RedisSentinel, AnAddressThatCannotBeReachedIsNotTakenFromTheSameSentinelAgain) {
  const ScriptedRedis behind({array({"127.0.0.1", std::to_string(test::free_port())})});
  const ScriptedRedis knowing({address_of(first_)});
  const auto found = watched_by({behind.port(), knowing.port()});
  const auto store = found->open();
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("unavailable: "), HasSubstr("/mine/0 (127.0.0.1:"),
                    HasSubstr("Connection refused")));
  EXPECT_EQ(soon([&] { return shown(ask(*store, get())); }), "\"first\"");
  const auto loop = watched_by({behind.port(), knowing.port()})->open_on(reactor_);
  EXPECT_THAT(on_loop(*loop), StartsWith("unavailable: "));
  EXPECT_EQ(soon([&] { return on_loop(*loop); }), "\"first\"");
}

TEST_F(RedisSentinel, AConnectionThatWasIdleIsNotUsedIfNoSentinelSaysThatItLeadsToThePrimary) {
  auto sentinel = std::make_unique<ScriptedRedis>(std::vector<std::string>{address_of(first_)});
  const auto store = watched_by({sentinel->port()}, seconds{1})->open();
  EXPECT_EQ(shown(ask(*store, get())), "\"first\"");
  sentinel.reset();
  EXPECT_EQ(shown(ask(*store, get())), "\"first\"") << "it was used a moment ago";
  std::this_thread::sleep_for(seconds{1});
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("unavailable: "), HasSubstr("no Sentinel answers")));
}

TEST_F(RedisSentinel, APasswordThatASentinelWantsIsNamed) {
  const ScriptedRedis sentinel({address_of(first_)}, "-NOAUTH Authentication required.\r\n");
  const auto store = watched_by({sentinel.port()})->open();
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("rejected: "), HasSubstr("cannot use the Sentinel 127.0.0.1:"),
                    HasSubstr("sentinel-password")));
}

// As many as are usual: each is asked in time, and their refusal is told.
TEST_F(RedisSentinel, ThreeThatDoNotSpeakTlsAreRejected) {
  Options options = *parse_url("rediss+sentinel://h/mine");
  options.sentinel->addresses.clear();
  options.connect_timeout = seconds{6};  // of which a busy machine may need one
  for (const RedisServer* each : {&first_, &second_, &first_}) {
    options.sentinel->addresses.push_back({"127.0.0.1", static_cast<std::uint16_t>(each->port())});
  }
  EXPECT_THAT(shown(ask(*backend(options)->open(), get())),
              AllOf(StartsWith("rejected: "), HasSubstr("does not speak TLS at this port"),
                    HasSubstr("write redis+sentinel://")));
}

TEST_F(RedisSentinel, AnUnknownNameIsRejected) {
  const ScriptedRedis sentinel({"*-1\r\n"});
  const auto found = watched_by({test::free_port(), sentinel.port()});
  for (const std::string& said :
       {shown(ask(*found->open(), get())), on_loop(*found->open_on(reactor_))}) {
    EXPECT_THAT(said, AllOf(StartsWith("rejected: "), HasSubstr("knows no primary 'mine'")));
  }
}

TEST_F(RedisSentinel, AServerThatIsNoSentinelIsRejected) {
  const auto found = watched_by({first_.port()});
  EXPECT_THAT(shown(ask(*found->open(), get())),
              AllOf(StartsWith("rejected: "), HasSubstr("says ERR unknown command 'SENTINEL': ")));
}

TEST_F(RedisSentinel, WithoutASentinelThatAnswersItIsUnavailable) {
  const auto found = watched_by({test::free_port(), test::free_port()});
  for (const std::string& said :
       {shown(ask(*found->open(), get())), on_loop(*found->open_on(reactor_))}) {
    EXPECT_THAT(said, AllOf(StartsWith("unavailable: cannot connect to redis+sentinel://"),
                            HasSubstr("no Sentinel answers"), HasSubstr("Connection refused")));
  }
}

// A primary that stood still and was replaced would answer as if it still were one.
TEST_F(RedisSentinel, AConnectionThatWasIdleIsNotUsedIfAnotherServerIsThePrimary) {
  const ScriptedRedis sentinel({address_of(first_), address_of(second_)});
  const auto store = watched_by({sentinel.port()}, seconds{1})->open();
  EXPECT_EQ(shown(ask(*store, get())), "\"first\"");
  std::this_thread::sleep_for(seconds{1});
  EXPECT_EQ(shown(ask(*store, get())), "\"second\"");
}

TEST_F(RedisSentinel, AStoreOnALoopMovesWhenASentinelTellsOfAnotherPrimary) {
  const std::string subscribed = "*3\r\n" + bulk("subscribe") + bulk("+switch-master") + ":1\r\n";
  ScriptedRedis sentinel({address_of(first_), address_of(first_), subscribed, address_of(second_)});
  const auto store = watched_by({sentinel.port()})->open_on(reactor_);
  EXPECT_EQ(on_loop(*store), "\"first\"");
  ASSERT_TRUE(reactor_.run_until([&] { return sentinel.commands().size() == 3; }));
  // The old primary stands still, as a machine that has lost its network does.
  first_.pause();
  Asked silent(*store, get());
  reactor_.run_for(milliseconds{50});
  EXPECT_FALSE(silent.done());
  const auto told = [](const std::string& name, const RedisServer& server) {
    return array({"message", "+switch-master",
                  name + " 127.0.0.1 1 127.0.0.1 " + std::to_string(server.port())});
  };
  sentinel.say(told("another", second_));
  sentinel.say(told("mine", first_));
  reactor_.run_for(milliseconds{50});
  EXPECT_FALSE(silent.done()) << "neither is about a new primary of this name";
  sentinel.say(told("mine", second_));
  ASSERT_TRUE(reactor_.run_until([&] { return silent.done(); }));
  EXPECT_THAT(shown(silent.take()), AllOf(StartsWith("indeterminate: "),
                                          HasSubstr("another server has become the primary")));
  EXPECT_EQ(on_loop(*store), "\"second\"");
  first_.resume();
}

// Its timers never fire, so nothing happens because a pause is over.
class WithoutTimers final : public Reactor {
 public:
  Result<std::unique_ptr<Watch>> watch(int descriptor,
                                       std::function<void(bool, bool)> ready) override {
    return loop.watch(descriptor, std::move(ready));
  }
  std::unique_ptr<Timer> timer(std::function<void()>) override {
    class Never final : public Timer {
      void arm(Duration) override {}
      void disarm() override {}
    };
    return std::make_unique<Never>();
  }
  void post(std::function<void()> job) override { loop.post(std::move(job)); }
  TimePoint now() override { return loop.now(); }

  TestReactor loop;
};

// Else waiters would listen again only after the pause between attempts, of up to a second.
TEST_F(RedisSentinel, SubscriptionsMoveAtOnceWhenASentinelTellsOfAnotherPrimary) {
  const std::string first = address_of(first_);
  const std::string subscribed = "*3\r\n" + bulk("subscribe") + bulk("+switch-master") + ":1\r\n";
  ScriptedRedis sentinel({first, first, subscribed, first, first, address_of(second_)});
  WithoutTimers reactor;
  const auto store = watched_by({sentinel.port()})->open_on(reactor);
  const auto have_come = [&](std::size_t commands) {
    return reactor.loop.run_until([&] { return sentinel.commands().size() == commands; });
  };
  Asked asked(*store, get());
  ASSERT_TRUE(reactor.loop.run_until([&] { return asked.done(); }));
  static_cast<void>(asked.take());
  ASSERT_TRUE(have_come(3));
  // What the Sentinel has said to them is there already. Heard later, it would end an attempt to
  // connect of which the server is not known yet.
  reactor.loop.run_for(milliseconds{50});
  Asked subscribing(*store, operation(OperationKind::subscribe, "channel"));
  ASSERT_TRUE(reactor.loop.run_until([&] { return subscribing.done(); }));
  const Reply subscription = subscribing.take();
  ASSERT_TRUE(subscription) << shown(subscription);
  first_.kill();
  ASSERT_TRUE(have_come(5)) << "the first attempt to connect again";
  reactor.loop.run_for(milliseconds{50});  // it fails
  sentinel.say(array({"message", "+switch-master",
                      "mine 127.0.0.1 1 127.0.0.1 " + std::to_string(second_.port())}));
  PlainRedis second(second_);
  EXPECT_TRUE(reactor.loop.run_until([&] {
    return second.command({"PUBSUB", "NUMSUB", "channel"}) == "[channel, 1]";
  }));
}

// Sentinels do not learn of a failover at the same moment. The old primary is alive here, as one
// that only stood still.
TEST_F(RedisSentinel, AServerThatWasReplacedIsNotTakenFromASentinelThatDoesNotKnowItYet) {
  const std::string subscribed = "*3\r\n" + bulk("subscribe") + bulk("+switch-master") + ":1\r\n";
  const std::string first = address_of(first_);
  ScriptedRedis sentinel(
      {first, first, first, subscribed, first, first, first, address_of(second_)});
  const auto found = watched_by({sentinel.port()});
  const auto blocking = found->open();
  EXPECT_EQ(shown(ask(*blocking, get())), "\"first\"");
  const auto loop = found->open_on(reactor_);
  EXPECT_EQ(on_loop(*loop), "\"first\"");
  ASSERT_TRUE(reactor_.run_until([&] { return sentinel.commands().size() == 4; }));
  sentinel.say(array({"message", "+switch-master",
                      "mine 127.0.0.1 1 127.0.0.1 " + std::to_string(second_.port())}));
  reactor_.run_for(milliseconds{50});
  EXPECT_THAT(on_loop(*loop), AllOf(StartsWith("unavailable: "),
                                    HasSubstr("another server has become the primary")));
  EXPECT_THAT(
      shown(ask(*blocking, get())),
      AllOf(StartsWith("unavailable: "), HasSubstr("another server has become the primary")));
  EXPECT_EQ(soon([&] { return shown(ask(*blocking, get())); }), "\"second\"");
  EXPECT_EQ(soon([&] { return on_loop(*loop); }), "\"second\"");
}

TEST_F(RedisSentinel, AHostNameThatASentinelTellsIsNoReasonToLeave) {
  PlainRedis plain(first_);
  const auto connections = [&plain] {
    const std::string field = "total_connections_received:";
    const std::string stats = plain.command({"INFO", "stats"});
    return std::stoi(stats.substr(stats.find(field) + field.size()));
  };
  const ScriptedRedis sentinel({array({"localhost", std::to_string(first_.port())})});
  const auto store = watched_by({sentinel.port()})->open_on(reactor_);
  const int before = connections();
  EXPECT_EQ(on_loop(*store), "\"first\"");
  ASSERT_TRUE(reactor_.run_until([&] { return sentinel.commands().size() == 3; }));
  reactor_.run_for(milliseconds{50});
  EXPECT_EQ(on_loop(*store), "\"first\"");
  EXPECT_EQ(connections(), before + 1);
}

TEST_F(RedisSentinel, WithoutAnyAddressItIsRejected) {
  const auto found = watched_by({});
  for (const std::string& said :
       {shown(ask(*found->open(), get())), on_loop(*found->open_on(reactor_))}) {
    EXPECT_THAT(said, AllOf(StartsWith("rejected: "), HasSubstr("no Sentinel is named")));
  }
}

// What happened while no Sentinel was heard is found out when one is heard again.
TEST_F(RedisSentinel, AStoreOnALoopMovesWhenItHearsOfAnotherPrimaryLate) {
  const std::string not_yet;
  ScriptedRedis sentinel({address_of(first_), not_yet, not_yet, address_of(second_)});
  const auto store = watched_by({sentinel.port()})->open_on(reactor_);
  EXPECT_EQ(on_loop(*store), "\"first\"");
  ASSERT_TRUE(reactor_.run_until([&] { return sentinel.commands().size() == 3; }));
  sentinel.say(address_of(second_));
  std::string said = on_loop(*store);
  const TimePoint end = reactor_.now() + seconds{10};
  while (said != "\"second\"" && reactor_.now() < end) said = on_loop(*store);
  EXPECT_EQ(said, "\"second\"");
}

TEST_F(RedisSentinel, CertificatesHaveTheAddressThatTheSentinelTells) {
  const test::Certificates certificates;
  const test::TlsServer server(certificates);
  const ScriptedRedis sentinel({array({"127.0.0.1", std::to_string(server.port())})});
  Options options;
  options.sentinel.emplace();
  options.sentinel->primary = "mine";
  options.sentinel->addresses.push_back({"127.0.0.1", static_cast<std::uint16_t>(sentinel.port())});
  options.tls.emplace();
  options.tls->authorities = certificates.authority();
  EXPECT_EQ(shown(ask(*backend(options)->open(), get())), "nil");
  options.tls->server_name = "example.org";
  EXPECT_THAT(shown(ask(*backend(options)->open(), get())),
              HasSubstr("is not for 'example.org' but for localhost, 127.0.0.1"));
}

// --- real Sentinels ------------------------------------------------------------------------------

class RealSentinels : public ::testing::TestWithParam<bool> {
 protected:
  static void fail_over(SentinelTrio& trio) {
    if (GetParam()) {
      trio.first().pause();
    } else {
      trio.first().kill();
    }
    ASSERT_TRUE(trio.wait_until_switched());
    if (GetParam()) trio.first().resume();
  }
};
INSTANTIATE_TEST_SUITE_P(OfAPrimary, RealSentinels, ::testing::Bool(), [](const auto& silent) {
  return silent.param ? "ThatFallsSilent" : "ThatIsKilled";
});

TEST_P(RealSentinels, HoldersKeepTheirLocksAndWaitersGoOn) {
  SentinelTrio trio;
  LockOptions options(Ttl(seconds{12}));
  options.wait = std::chrono::minutes{1};
  Client holder(*backend(trio.url()));
  Client waiter(*backend(trio.url()));
  AcquireResult held = holder.acquire("job", options);
  ASSERT_TRUE(held) << held.why_not();
  auto entered = std::async(std::launch::async, [&] { return waiter.acquire("job", options); });
  // A renewal, and its copy at the replica.
  std::this_thread::sleep_for(milliseconds{4500});
  ASSERT_NO_FATAL_FAILURE(fail_over(trio));
  // Beyond the lease that was certain when the primary went away.
  std::this_thread::sleep_for(seconds{12});
  EXPECT_EQ(held->state(), LeaseState::held);
  static_cast<void>(held->release());
  AcquireResult second = entered.get();
  ASSERT_TRUE(second) << second.why_not();
  EXPECT_EQ(second->state(), LeaseState::held);
  EXPECT_EQ(PlainRedis(trio.second()).command({"EXISTS", "job"}), "1");
}

// The holder goes on, and others wait until all leases that the new primary may not know are over.
TEST_P(RealSentinels, WithAQuarantineTheHolderKeepsItsLockAndOthersWaitForOneLongestTtl) {
  SentinelTrio trio;
  const std::string url = trio.url() + "?after-failover=wait&longest-ttl=12s";
  LockOptions options(Ttl(seconds{12}));
  options.wait = std::chrono::minutes{1};
  Client holder(*backend(url));
  Client other(*backend(url));
  AcquireResult held = holder.acquire("job", options);
  ASSERT_TRUE(held) << held.why_not();
  std::this_thread::sleep_for(milliseconds{4500});
  ASSERT_NO_FATAL_FAILURE(fail_over(trio));
  const auto asked = std::chrono::steady_clock::now();
  const AcquireResult free = other.acquire("free", options);
  ASSERT_TRUE(free) << free.why_not();
  EXPECT_GE(std::chrono::steady_clock::now() - asked, seconds{12});
  EXPECT_EQ(held->state(), LeaseState::held);
  EXPECT_EQ(PlainRedis(trio.second()).command({"EXISTS", "free", "job"}), "2");
}

}  // namespace
}  // namespace interlock::redis
