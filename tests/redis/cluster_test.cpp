// A Redis Cluster: with scripted servers, which say what a test wants, and with real ones, whose
// slots move and whose primaries die.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_cluster.hpp"
#include "support/scripted_redis.hpp"
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
using test::RedisCluster;
using test::ScriptedRedis;
using test::shown;
using test::TestReactor;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Operation get(const std::string& key = "k") {
  return operation(OperationKind::get, key);
}

// Slot 7629, which is that of "k".
constexpr int slot_of_k = 7629;

// The answers to CLUSTER SLOTS and CLUSTER INFO: all slots are at this port.
std::vector<std::string> map_with(int port, int epoch = 1, const std::string& host = "127.0.0.1") {
  return {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n" + bulk(host) + ":" + std::to_string(port) + "\r\n",
          bulk("cluster_state:ok\r\ncluster_current_epoch:" + std::to_string(epoch) + "\r\n")};
}
std::vector<std::string> followed_by(std::vector<std::string> answers,
                                     const std::vector<std::string>& more) {
  answers.insert(answers.end(), more.begin(), more.end());
  return answers;
}
std::string moved_to(int port, const std::string& host = "127.0.0.1") {
  return "-MOVED " + std::to_string(slot_of_k) + " " + host + ":" + std::to_string(port) + "\r\n";
}
std::string ask_at(int port) {
  return "-ASK " + std::to_string(slot_of_k) + " 127.0.0.1:" + std::to_string(port) + "\r\n";
}

std::shared_ptr<Backend> cluster_at(const std::vector<int>& ports, Duration limit = seconds{10}) {
  Options options;
  for (const int port : ports) {
    options.cluster.push_back({"127.0.0.1", static_cast<std::uint16_t>(port)});
  }
  options.connect_timeout = seconds{10};
  options.command_timeout = limit;
  return backend(options);
}

// Both kinds of store: the same is asked of one, and then of the other.
class EitherStore {
 public:
  EitherStore(Backend& of, bool on_loop)
      : store_(on_loop ? of.open_on(reactor_) : of.open()), on_loop_(on_loop) {}

  std::string operator()(Operation op = get()) {
    if (!on_loop_) return shown(ask(*store_, std::move(op)));
    Asked asked(*store_, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  // Asks until the store is available again.
  std::string soon(const Operation& op = get()) {
    const TimePoint end = reactor_.now() + seconds{20};
    std::string said = (*this)(op);
    while (said.starts_with("unavailable") && reactor_.now() < end) {
      reactor_.run_for(milliseconds{5});
      said = (*this)(op);
    }
    return said;
  }
  std::uint32_t server_of(const std::string& key) { return store_->server_of(Key(key)); }

 private:
  TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_;
  const bool on_loop_;
};

class RedisClusterStore : public ::testing::TestWithParam<bool> {
 protected:
  static EitherStore store_of(Backend& backend) { return {backend, GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Stores, RedisClusterStore, ::testing::Bool(), [](const auto& on_loop) {
  return on_loop.param ? "OnALoop" : "Blocking";
});

TEST_P(RedisClusterStore, GoesToTheServerThatKeepsTheSlot) {
  const ScriptedRedis keeper({bulk("kept")});
  const ScriptedRedis asked(map_with(keeper.port()));
  const auto cluster = cluster_at({asked.port()});
  EXPECT_EQ(store_of(*cluster)(), "\"kept\"");
  EXPECT_THAT(asked.commands(), testing::ElementsAre("CLUSTER", "CLUSTER"));
}

TEST_P(RedisClusterStore, AServerThatDoesNotTellItsHostIsWhereItWasAsked) {
  for (const char* const host : {"", "?"}) {
    const ScriptedRedis keeper({bulk("kept")});
    const ScriptedRedis asked(map_with(keeper.port(), 1, host));
    EXPECT_EQ(store_of(*cluster_at({asked.port()}))(), "\"kept\"");
  }
}

TEST_P(RedisClusterStore, AServerThatIsAwayIsNotTheOnlyOneThatIsAsked) {
  const ScriptedRedis keeper({bulk("kept")});
  const ScriptedRedis asked(map_with(keeper.port()));
  EXPECT_EQ(store_of(*cluster_at({test::free_port(), asked.port()}))(), "\"kept\"");
}

TEST_P(RedisClusterStore, OneOfManyThatLivesIsEnoughForOneTry) {
  const ScriptedRedis keeper({bulk("kept")});
  const ScriptedRedis asked(map_with(keeper.port()));
  std::vector<int> ports;
  for (int n = 0; n < 5; ++n) ports.push_back(test::free_port());
  ports.push_back(asked.port());
  EXPECT_EQ(store_of(*cluster_at(ports))(), "\"kept\"");
}

TEST_P(RedisClusterStore, ARefusedAskingIsTold) {
  const ScriptedRedis next(
      {"-NOPERM this user has no permissions to run 'asking'\r\n", "-MOVED 7629 127.0.0.1:1\r\n"});
  const ScriptedRedis before({ask_at(next.port())});
  const ScriptedRedis asked(map_with(before.port()));
  EXPECT_THAT(store_of(*cluster_at({asked.port()}))(),
              AllOf(StartsWith("rejected: NOPERM"), HasSubstr("asking")));
}

TEST_P(RedisClusterStore, AUserWhoMayNotAskForTheEpochIsRejected) {
  std::vector<std::string> map = map_with(1);
  map[1] = "-NOPERM this user has no permissions to run 'cluster|info'\r\n";
  const ScriptedRedis asked(map);
  EXPECT_THAT(store_of(*cluster_at({asked.port()}))(),
              AllOf(StartsWith("rejected: "), HasSubstr("NOPERM"),
                    HasSubstr("let this user run CLUSTER SLOTS and CLUSTER INFO")));
}

TEST_P(RedisClusterStore, WithoutAServerThatTellsItIsUnavailable) {
  const auto cluster = cluster_at({test::free_port(), test::free_port()});
  EXPECT_THAT(store_of(*cluster)(),
              AllOf(StartsWith("unavailable: no server of redis+cluster://127.0.0.1:"),
                    HasSubstr("the last one: cannot connect to the cluster's server 127.0.0.1:")));
}

TEST_P(RedisClusterStore, AServerOfNoClusterIsRejected) {
  const test::RedisServer alone;
  EXPECT_THAT(store_of(*cluster_at({alone.port()}))(),
              AllOf(StartsWith("rejected: "), HasSubstr("belongs to no cluster: write redis://")));
}

// MOVED is believed: the next operation goes to the new server at once.
TEST_P(RedisClusterStore, AMovedSlotCostsOneMoreCommand) {
  const ScriptedRedis now({bulk("now")});
  const ScriptedRedis before({moved_to(now.port())});
  const ScriptedRedis asked(map_with(before.port()));
  const auto cluster = cluster_at({asked.port()});
  EitherStore store = store_of(*cluster);
  const auto before_it = store.server_of("k");
  for (int n = 0; n < 3; ++n) EXPECT_EQ(store(), "\"now\"");
  EXPECT_EQ(before.commands().size(), 1U);
  EXPECT_EQ(now.commands().size(), 3U);
  EXPECT_NE(store.server_of("k"), before_it);
  EXPECT_NE(store.server_of("k"), store.server_of("other"));
}

TEST_P(RedisClusterStore, AMovedSlotWithoutAHostIsAtTheHostThatSaysSo) {
  const ScriptedRedis now({bulk("now")});
  const ScriptedRedis before({moved_to(now.port(), "")});
  const ScriptedRedis asked(map_with(before.port()));
  EXPECT_EQ(store_of(*cluster_at({asked.port()}))(), "\"now\"");
}

// ASK is for one command: the slot is still where it was.
TEST_P(RedisClusterStore, AnAskIsFollowedOnceAndNotRemembered) {
  const ScriptedRedis next({"+OK\r\n", bulk("next")});
  const ScriptedRedis before({ask_at(next.port()), bulk("before")});
  const ScriptedRedis asked(map_with(before.port()));
  const auto cluster = cluster_at({asked.port()});
  EitherStore store = store_of(*cluster);
  EXPECT_EQ(store(), "\"next\"");
  EXPECT_EQ(store(), "\"before\"");
  EXPECT_THAT(next.commands(), testing::ElementsAre("ASKING", "GET"));
}

TEST_P(RedisClusterStore, ServersThatSendACommandInCirclesAreUnavailable) {
  const ScriptedRedis circle({"-MOVED 7629 127.0.0.1:{port}\r\n"});
  const ScriptedRedis asked(map_with(circle.port()));
  const auto cluster = cluster_at({asked.port()});
  EXPECT_THAT(store_of(*cluster)(),
              AllOf(StartsWith("unavailable: the servers of redis+cluster://"),
                    HasSubstr("send the command to each other")));
  EXPECT_EQ(circle.commands().size(), 6U);
}

TEST_P(RedisClusterStore, AServerToWhichACommandIsSentMayBeAway) {
  const ScriptedRedis before({moved_to(test::free_port())});
  const ScriptedRedis asked(map_with(before.port()));
  EXPECT_THAT(store_of(*cluster_at({asked.port()}))(),
              StartsWith("unavailable: cannot connect to the cluster's server 127.0.0.1:"));
}

// A server that stood still while a failover went by tells an old map.
TEST_P(RedisClusterStore, AServerThatKnowsLessThanAnotherIsNotBelieved) {
  const ScriptedRedis now({bulk("now")});
  const ScriptedRedis old({bulk("old")});
  const ScriptedRedis knowing(map_with(now.port(), 7));
  const ScriptedRedis stale(map_with(old.port(), 6));
  const auto cluster = cluster_at({knowing.port(), stale.port()});
  EitherStore first = store_of(*cluster);
  EXPECT_EQ(first(), "\"now\"");
  static_cast<void>(cluster->held_locks());  // asks again, the next one first
  EXPECT_EQ(first(), "\"now\"");
  EXPECT_THAT(old.commands(), Not(Contains("GET")));
  EXPECT_THAT(stale.commands(), Contains("CLUSTER"));
}

TEST_P(RedisClusterStore, WithAQuarantineIsRejected) {
  Options options;
  options.cluster.push_back({"127.0.0.1", 1});
  options.quarantine.emplace(Ttl(seconds{9}));
  const auto cluster = backend(options);
  EXPECT_FALSE(cluster->quarantine());
  EXPECT_THAT(store_of(*cluster)(),
              AllOf(StartsWith("rejected: "), HasSubstr("a Redis Cluster has no quarantine")));
}

TEST_P(RedisClusterStore, ASlotThatNobodyKeepsIsUnavailable) {
  const ScriptedRedis keeper({bulk("kept")});
  std::vector<std::string> map = map_with(keeper.port());
  map[0].replace(map[0].find("16383"), 5, "100");
  const ScriptedRedis asked(map);
  EXPECT_THAT(store_of(*cluster_at({asked.port()}))(),
              AllOf(StartsWith("unavailable: "), HasSubstr("keeps slot 7629")));
}

// --- a real cluster ------------------------------------------------------------------------------

class RealCluster : public RedisClusterStore {
 protected:
  // One for all tests; it ends with the program.
  static RedisCluster& cluster() {
    static RedisCluster running;
    return running;
  }
  RealCluster() { cluster().empty(); }
};
INSTANTIATE_TEST_SUITE_P(Stores, RealCluster, ::testing::Bool(), [](const auto& on_loop) {
  return on_loop.param ? "OnALoop" : "Blocking";
});

TEST_P(RealCluster, AKeyIsFoundWhereverItsSlotHasGone) {
  const auto found = *backend(cluster().url());
  EitherStore store = store_of(*found);
  const std::string key = cluster().name_kept_by(0);
  const int slot = cluster().slot_of(key);
  EXPECT_EQ(store(operation(OperationKind::set, key, "1")), "\"OK\"");

  cluster().begin_move(slot, 0, 1);
  EXPECT_EQ(store(get(key)), "\"1\"");
  cluster().move_keys(slot, 0, 1);
  EXPECT_EQ(store(get(key)), "\"1\"") << "by ASK";
  cluster().end_move(slot, 0, 1);
  EXPECT_EQ(store(get(key)), "\"1\"") << "by MOVED";
  cluster().move(slot, 1, 0);
  EXPECT_EQ(store(get(key)), "\"1\"");
}

// A lock has several keys, not all of which exist: the server that gives the slot away answers
// TRYAGAIN until the last key has gone.
TEST_P(RealCluster, AScriptGoesOnWhenTheSlotHasMoved) {
  const auto found = *backend(cluster().url());
  EitherStore store = store_of(*found);
  const std::string key = cluster().name_kept_by(1);
  const int slot = cluster().slot_of(key);
  Operation claim = operation(OperationKind::claim, key, "il1:me", seconds{60});
  EXPECT_THAT(store(claim), HasSubstr("[1, "));
  cluster().begin_move(slot, 1, 2);
  cluster().move_keys(slot, 1, 2);
  EXPECT_THAT(store.soon(operation(OperationKind::renew, key, "il1:me", seconds{60})), "1")
      << "by ASK, with the text of a script that the server does not know";
  cluster().end_move(slot, 1, 2);
  EXPECT_EQ(store.soon(operation(OperationKind::release, key, "il1:me")), "1");
  cluster().move(slot, 2, 1);
}

TEST(RealClusterLocks, OfDifferentSlotsAreCommandsOfTheirOwn) {
  RedisCluster cluster;
  const auto found = *backend(cluster.url());
  TestReactor reactor;
  const auto store = found->open_on(reactor);
  std::vector<std::unique_ptr<Asked>> claims;
  for (int n = 0; n < 100; ++n) {
    for (const std::string& name : {"many" + std::to_string(n), "{tag}" + std::to_string(n)}) {
      claims.push_back(std::make_unique<Asked>(
          *store, operation(OperationKind::claim, name, "il1:me", seconds{60})));
    }
  }
  for (const auto& each : claims) {
    ASSERT_TRUE(reactor.run_until([&] { return each->done(); }));
    EXPECT_THAT(shown(each->take()), HasSubstr("[1, "));
  }
  for (std::size_t n = 0; n < RedisCluster::primaries; ++n) {
    const std::string stats = PlainRedis(cluster.primary(n)).command({"INFO", "errorstats"});
    EXPECT_THAT(stats, Not(HasSubstr("CROSSSLOT")));
  }
}

// The map that is learned later has another server in its place.
TEST(RedisClusterMessages, AWaitAtAServerThatKeepsNothingAnyMoreEnds) {
  const ScriptedRedis old(
      {"*3\r\n$9\r\nsubscribe\r\n$7\r\nchannel\r\n:1\r\n", "-CLUSTERDOWN the cluster is down\r\n"});
  const ScriptedRedis now({bulk("now")});
  const ScriptedRedis asked(followed_by(map_with(old.port()), map_with(now.port(), 2)));
  const auto cluster = cluster_at({asked.port()});
  TestReactor reactor;
  const auto store = cluster->open_on(reactor);
  Asked subscribing(*store, operation(OperationKind::subscribe, "channel"));
  ASSERT_TRUE(reactor.run_until([&] { return subscribing.done(); }));
  Operation wait(OperationKind::await_message);
  const Reply subscription = subscribing.take();
  ASSERT_TRUE(subscription) << shown(subscription);
  wait.subscription = *subscription->number();
  wait.until = reactor.now() + std::chrono::minutes{10};
  Asked waiting(*store, wait);
  Asked refused(*store, get());
  ASSERT_TRUE(reactor.run_until([&] { return refused.done() && waiting.done(); }));
  EXPECT_THAT(shown(refused.take()), HasSubstr("CLUSTERDOWN"));
  EXPECT_THAT(shown(waiting.take()),
              AllOf(StartsWith("unavailable: "), HasSubstr("keeps no locks any more")));
}

TEST(RealClusterMessages, AListenerBesideAKeyIsCountedWhereTheKeyIs) {
  RedisCluster cluster;
  const auto found = *backend(cluster.url());
  TestReactor reactor;
  const auto on_loop = found->open_on(reactor);
  const auto blocking = found->open();
  for (std::size_t number = 0; number < RedisCluster::primaries; ++number) {
    const std::string lock = cluster.name_kept_by(number);
    for (const char last : {'a', 'b', 'c'}) {
      const std::string channel = std::string("interlock:ear:") + last;
      Operation subscribe = operation(OperationKind::subscribe, channel);
      subscribe.keys = {Key(lock)};
      Asked asked(*on_loop, subscribe);
      ASSERT_TRUE(reactor.run_until([&] { return asked.done(); }));
      static_cast<void>(asked.take());
      static_cast<void>(ask(*blocking, subscribe));
      EXPECT_EQ(PlainRedis(cluster.primary(number)).command({"PUBSUB", "NUMSUB", channel}),
                "[" + channel + ", 2]");
    }
  }
  EXPECT_THAT(shown(ask(*blocking,
                        [] {
                          Operation wait(OperationKind::await_message);
                          wait.subscription = 12345;
                          return wait;
                        }())),
              HasSubstr("no such subscription"));
}

// Both touch one store at the same time, and a slot that moves makes each command go on to another.
TEST(RealClusterMessages, AnInterruptionTakesNothingFromACommand) {
  RedisCluster cluster;
  const std::string absent = cluster.name_kept_by(0);
  cluster.begin_move(cluster.slot_of(absent), 0, 1);
  const auto found = *backend(cluster.url());
  const auto store = found->open();
  Operation subscribe = operation(OperationKind::subscribe, "channel");
  subscribe.keys = {Key(absent)};
  const Reply subscription = ask(*store, subscribe);
  ASSERT_TRUE(subscription) << shown(subscription);
  {
    const std::jthread interrupter([&](const std::stop_token& ends) {
      Operation interrupt(OperationKind::interrupt);
      interrupt.subscription = *subscription->number();
      while (!ends.stop_requested()) EXPECT_EQ(shown(ask(*store, interrupt)), "nil");
    });
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(shown(ask(*store, get(absent))), "nil") << i;
  }
  cluster.end_move(cluster.slot_of(absent), 0, 1);
}

TEST(RealClusterLocks, AreListedWhileTheirSlotsMove) {
  RedisCluster cluster;
  Client client(*backend(cluster.url()));
  const std::string name = cluster.name_kept_by(0);
  const int slot = cluster.slot_of(name);
  AcquireResult held = client.acquire(name);
  ASSERT_TRUE(held) << held.why_not();
  const auto found = [&] { return (*backend(cluster.url()))->held_locks(); };
  cluster.begin_move(slot, 0, 1);
  ASSERT_TRUE(found()) << found().error().detail();
  EXPECT_EQ(*found(), std::vector<Key>{Key(name)});
  cluster.move_keys(slot, 0, 1);
  ASSERT_TRUE(found()) << found().error().detail();
  EXPECT_EQ(*found(), std::vector<Key>{Key(name)});
  cluster.end_move(slot, 0, 1);
  EXPECT_EQ(*found(), std::vector<Key>{Key(name)});
}

// One server that keeps all slots. With tls-cluster it tells its port for TLS to those who ask by
// TLS.
TEST(RealClusterTls, ServersAreReachedByTlsAndTheirCertificatesChecked) {
  const test::Certificates certificates;
  test::TlsServer server(certificates, {"--cluster-enabled", "yes", "--tls-cluster", "yes",
                                        "--cluster-port", std::to_string(test::free_port())});
  PlainRedis plain(server.plain());
  ASSERT_EQ(plain.command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}), "OK");
  ASSERT_TRUE(test::eventually([&] {
    return plain.command({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
  }));
  const std::string url = "rediss+cluster://127.0.0.1:" + std::to_string(server.port()) +
                          "?ca=" + certificates.authority();
  for (const bool on_loop : {false, true}) {
    const auto cluster = *backend(url);
    EitherStore store(*cluster, on_loop);
    EXPECT_EQ(store(operation(OperationKind::set, "k", "1")), "\"OK\"");
    EXPECT_EQ(store(), "\"1\"");
    const auto another = *backend(url + "&server-name=example.org");
    EXPECT_THAT(EitherStore(*another, on_loop)(),
                AllOf(StartsWith("rejected: "), HasSubstr("is not for 'example.org'")));
    const auto without = *backend("redis+cluster://127.0.0.1:" + std::to_string(server.port()));
    EXPECT_THAT(EitherStore(*without, on_loop)(),
                AllOf(StartsWith("rejected: "), HasSubstr("write rediss+cluster://")));
  }
}

TEST(RealClusterLocks, AreListedFromAllServers) {
  RedisCluster cluster;
  Client client(*backend(cluster.url()));
  std::vector<AcquireResult> held;
  std::vector<std::string> names;
  for (std::size_t number = 0; number < RedisCluster::primaries; ++number) {
    names.push_back(cluster.name_kept_by(number));
    held.push_back(client.acquire(names.back()));
    ASSERT_TRUE(held.back()) << held.back().why_not();
  }
  const auto found = (*backend(cluster.url()))->held_locks();
  ASSERT_TRUE(found) << found.error().detail();
  EXPECT_EQ(found->size(), RedisCluster::primaries);

  const auto findings = (*backend(cluster.url()))->inspect();
  ASSERT_TRUE(findings) << findings.error().detail();
  EXPECT_EQ(findings->front().fact, "3 primaries keep all slots");
  for (const Finding& each : *findings) {
    EXPECT_NE(each.grade, Finding::Grade::bad) << each.subject << ": " << each.fact;
  }
  // The server that keeps the lock says so, and the others say nothing of keys.
  const auto of_lock = (*backend(cluster.url()))->inspect_for(*LockName::parse(names.back()));
  ASSERT_TRUE(of_lock) << of_lock.error().detail();
  const auto is_of_keys = [](const Finding& each) { return each.subject.starts_with("keys"); };
  EXPECT_EQ(std::count_if(of_lock->begin(), of_lock->end(), is_of_keys), 1);
  EXPECT_EQ(std::count_if(of_lock->begin(), of_lock->end(),
                          [](const Finding& each) { return each.grade == Finding::Grade::bad; }),
            0);
  EXPECT_THAT((*backend(cluster.primary(0).url()))->held_locks().error().detail(),
              HasSubstr("write redis+cluster://"));
}

}  // namespace
}  // namespace interlock::redis
