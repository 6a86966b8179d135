// What a server is said to promise.
#include <gmock/gmock.h>

#include <thread>

#include "interlock/redis/redis_backend.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/scripted_redis.hpp"

namespace interlock::redis {
namespace {

using test::PlainRedis;
using test::RedisServer;
using test::RedisSettings;
using ::testing::HasSubstr;
using Verdict = Fact::Verdict;

std::vector<Fact> facts_of(const RedisServer& server) {
  const auto facts = (*backend(server.url()))->inspect();
  EXPECT_TRUE(facts) << facts.error().detail();
  return facts ? *facts : std::vector<Fact>();
}

Fact find(const std::vector<Fact>& facts, const std::string& subject) {
  for (const Fact& fact : facts) {
    if (fact.subject == subject) return fact;
  }
  return {Verdict::bad, subject, "missing"};
}

void expect_fact(const Fact& fact, Verdict verdict, const std::string& part) {
  EXPECT_EQ(fact.verdict, verdict) << fact.subject << ": " << fact.fact;
  EXPECT_THAT(fact.fact, HasSubstr(part)) << fact.subject;
  EXPECT_EQ(fact.advice.empty(), verdict == Verdict::good) << fact.subject;
}

TEST(RedisInspect, AServerWithoutPersistenceGetsOneWarning) {
  const auto facts = facts_of(RedisServer());
  expect_fact(find(facts, "version"), Verdict::good, ".");
  expect_fact(find(facts, "role"), Verdict::good, "primary");
  expect_fact(find(facts, "eviction"), Verdict::good, "never evicted");
  expect_fact(find(facts, "persistence"), Verdict::warning, "a restart forgets all locks");
  expect_fact(find(facts, "replicas"), Verdict::good, "none");
  expect_fact(find(facts, "scripts"), Verdict::good, "EVAL");
  expect_fact(find(facts, "round trip"), Verdict::good, "us (median");
  expect_fact(find(facts, "clock"), Verdict::good, "ms");
}

TEST(RedisInspect, AnAppendOnlyFileWrittenAlwaysIsGood) {
  RedisSettings settings;
  settings.append_only = true;
  expect_fact(find(facts_of(RedisServer(settings)), "persistence"), Verdict::good, "append-only");
}

TEST(RedisInspect, EvictionIsAWarning) {
  RedisSettings settings;
  settings.maxmemory = "100mb";
  settings.maxmemory_policy = "allkeys-lru";
  expect_fact(find(facts_of(RedisServer(settings)), "eviction"), Verdict::warning, "allkeys-lru");
  settings.maxmemory_policy = "noeviction";
  expect_fact(find(facts_of(RedisServer(settings)), "eviction"), Verdict::good, "noeviction");
}

TEST(RedisInspect, AServerThatRefusesEveryLockBecauseItIsFullIsBad) {
  RedisSettings settings;
  settings.maxmemory = "1";
  expect_fact(find(facts_of(RedisServer(settings)), "memory"), Verdict::bad, "new lock is refused");
}

TEST(RedisInspect, AReplicaIsBadAndItsPrimaryIsWarnedOfFailover) {
  const RedisServer primary;
  RedisSettings settings;
  settings.replica_of = primary.port();
  const RedisServer replica(settings);
  const auto facts = facts_of(replica);
  expect_fact(find(facts, "role"), Verdict::bad, "refuses writes");
  EXPECT_EQ(find(facts, "replicas").fact, "missing");
  PlainRedis(primary).command({"WAIT", "1", "20000"});
  expect_fact(find(facts_of(primary), "replicas"), Verdict::warning, "1: a failover forgets");
}

TEST(RedisInspect, AUserWithoutScriptsIsBad) {
  const RedisServer server;
  PlainRedis(server).command(
      {"ACL", "SETUSER", "plain", "on", ">pw", "~*", "+@all", "-@scripting"});
  const auto facts =
      (*backend("redis://plain:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
  ASSERT_TRUE(facts);
  expect_fact(find(*facts, "scripts"), Verdict::bad, "NOPERM");
}

TEST(RedisInspect, ACommandThatAUserMayNotRunIsNamed) {
  const RedisServer server;
  PlainRedis plain(server);
  for (const char* keys : {"~app/*", "~*"}) {
    for (const char* command :
         {"get", "set", "mget", "del", "pttl", "pexpire", "time", "publish", "pubsub", "exists",
          "lindex", "lpop", "lrange", "lrem", "lset", "rpush", "subscribe"}) {
      plain.command({"ACL", "SETUSER", "plain", "reset", "on", ">pw", keys, "&*", "+@all",
                     std::string("-") + command});
      const auto facts =
          (*backend("redis://plain:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
      ASSERT_TRUE(facts);
      expect_fact(find(*facts, "rights"), Verdict::bad, std::string("may not run ") + command);
      EXPECT_EQ(plain.command({"DBSIZE"}), "0") << command << " with " << keys;
    }
  }
}

TEST(RedisInspect, RightsToSomeKeysAndChannelsAloneAreNoFault) {
  const RedisServer server;
  PlainRedis(server).command({"ACL", "SETUSER", "plain", "on", ">pw", "~app/*", "~{app/*",
                              "resetchannels", "&{app/*", "+@all"});
  const auto facts =
      (*backend("redis://plain:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
  ASSERT_TRUE(facts);
  EXPECT_EQ(find(*facts, "rights").fact, "missing");
  expect_fact(find(*facts, "keys"), Verdict::good, "only some");
}

TEST(RedisInspect, AServerThatLacksReplicasToWriteIsBad) {
  RedisSettings settings;
  settings.arguments = {"--min-replicas-to-write", "1"};
  expect_fact(find(facts_of(RedisServer(settings)), "writes"), Verdict::bad, "NOREPLICAS");
}

TEST(RedisInspect, AUserWhoIsNotLetInIsToldNothingElse) {
  const RedisServer server;
  const auto facts =
      (*backend("redis://nobody:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
  ASSERT_TRUE(failed_with(facts, Errc::rejected));
  EXPECT_THAT(facts.error().detail(), HasSubstr("WRONGPASS"));
}

RedisSettings cluster_settings() {
  RedisSettings settings;
  settings.arguments = {"--cluster-enabled", "yes", "--cluster-port",
                        std::to_string(test::free_port())};
  return settings;
}

TEST(RedisInspect, ANodeOfAClusterListsNoLocksBecauseItKnowsNotAll) {
  const RedisServer node(cluster_settings());
  PlainRedis(node).command({"CLUSTER", "ADDSLOTSRANGE", "0", "9000"});
  const auto held = (*backend(node.url()))->held_locks();
  ASSERT_TRUE(failed_with(held, Errc::rejected));
  EXPECT_THAT(held.error().detail(), HasSubstr("only a part of the locks"));
}

TEST(RedisInspect, AClusterOfOneNodeListsItsLocks) {
  const RedisServer node(cluster_settings());
  PlainRedis plain(node);
  plain.command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  while (plain.command({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) {
    std::this_thread::sleep_for(milliseconds{10});
  }
  plain.command({"SET", "deploy", "il1:a"});
  plain.command({"SET", "{deploy}:interlock:fence", "1"});
  const auto held = (*backend(node.url()))->held_locks();
  ASSERT_TRUE(held) << held.error().detail();
  EXPECT_EQ(*held, std::vector<Key>{Key("deploy")});
}

TEST(RedisInspect, ASentinelIsBadAndNothingElseIsSaidOfIt) {
  const std::string info = "# Server\r\nredis_version:7.0.15\r\nredis_mode:sentinel\r\n";
  const test::ScriptedRedis sentinel({"$" + std::to_string(info.size()) + "\r\n" + info + "\r\n"},
                                     "+PONG\r\n");
  const auto answer = (*backend(sentinel.url()))->inspect();
  ASSERT_TRUE(answer);
  const std::vector<Fact> facts = *answer;
  ASSERT_EQ(facts.size(), 1u);
  expect_fact(facts.front(), Verdict::bad, "Sentinel");
}

TEST(RedisInspect, AServerThatIsAwayIsUnavailable) {
  const auto away = *backend("redis://127.0.0.1:" + std::to_string(test::free_port()));
  EXPECT_TRUE(failed_with(away->inspect(), Errc::unavailable));
  EXPECT_TRUE(failed_with(away->held_locks(), Errc::unavailable));
}

}  // namespace
}  // namespace interlock::redis
