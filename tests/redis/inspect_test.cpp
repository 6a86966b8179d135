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
using Grade = Finding::Grade;

std::vector<Finding> findings_of(const RedisServer& server) {
  const auto findings = (*backend(server.url()))->inspect();
  EXPECT_TRUE(findings) << findings.error().detail();
  return findings ? *findings : std::vector<Finding>();
}

Finding find(const std::vector<Finding>& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) return finding;
  }
  return {Grade::bad, subject, "missing"};
}

void expect_finding(const Finding& finding, Grade grade, const std::string& part) {
  EXPECT_EQ(finding.grade, grade) << finding.subject << ": " << finding.fact;
  EXPECT_THAT(finding.fact, HasSubstr(part)) << finding.subject;
  EXPECT_EQ(finding.advice.empty(), grade == Grade::good) << finding.subject;
}

TEST(RedisInspect, AServerWithoutPersistenceGetsOneWarning) {
  const auto findings = findings_of(RedisServer());
  expect_finding(find(findings, "version"), Grade::good, ".");
  expect_finding(find(findings, "role"), Grade::good, "primary");
  expect_finding(find(findings, "eviction"), Grade::good, "never evicted");
  expect_finding(find(findings, "persistence"), Grade::warning, "a restart forgets all locks");
  expect_finding(find(findings, "replicas"), Grade::good, "none");
  expect_finding(find(findings, "scripts"), Grade::good, "EVAL");
  expect_finding(find(findings, "round trip"), Grade::good, "us (median");
  expect_finding(find(findings, "clock"), Grade::good, "ms");
}

TEST(RedisInspect, AnAppendOnlyFileWrittenAlwaysIsGood) {
  RedisSettings settings;
  settings.append_only = true;
  expect_finding(find(findings_of(RedisServer(settings)), "persistence"), Grade::good,
                 "append-only");
}

TEST(RedisInspect, EvictionIsAWarning) {
  RedisSettings settings;
  settings.maxmemory = "100mb";
  settings.maxmemory_policy = "allkeys-lru";
  expect_finding(find(findings_of(RedisServer(settings)), "eviction"), Grade::warning,
                 "allkeys-lru");
  settings.maxmemory_policy = "noeviction";
  expect_finding(find(findings_of(RedisServer(settings)), "eviction"), Grade::good, "noeviction");
}

TEST(RedisInspect, AServerThatRefusesEveryLockBecauseItIsFullIsBad) {
  RedisSettings settings;
  settings.maxmemory = "1";
  expect_finding(find(findings_of(RedisServer(settings)), "memory"), Grade::bad,
                 " KiB of 1 byte are in use, and every new lock is refused");
}

TEST(RedisInspect, AReplicaIsBadAndItsPrimaryIsWarnedOfFailover) {
  const RedisServer primary;
  const RedisServer replica(test::replica_of(primary));
  const auto findings = findings_of(replica);
  expect_finding(find(findings, "role"), Grade::bad, "refuses writes");
  EXPECT_EQ(find(findings, "replicas").fact, "missing");
  PlainRedis(primary).command({"WAIT", "1", "20000"});
  expect_finding(find(findings_of(primary), "replicas"), Grade::warning, "1: a failover forgets");
}

TEST(RedisInspect, AUserWithoutScriptsIsBad) {
  const RedisServer server;
  PlainRedis(server).command(
      {"ACL", "SETUSER", "plain", "on", ">pw", "~*", "+@all", "-@scripting"});
  const auto findings =
      (*backend("redis://plain:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
  ASSERT_TRUE(findings);
  expect_finding(find(*findings, "scripts"), Grade::bad, "NOPERM");
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
      const auto findings =
          (*backend("redis://plain:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
      ASSERT_TRUE(findings);
      expect_finding(find(*findings, "rights"), Grade::bad, std::string("may not run ") + command);
      EXPECT_EQ(plain.command({"DBSIZE"}), "0") << command << " with " << keys;
    }
  }
}

TEST(RedisInspect, RightsToSomeKeysAndChannelsAloneAreNoFault) {
  const RedisServer server;
  PlainRedis(server).command({"ACL", "SETUSER", "plain", "on", ">pw", "~app/*", "~{app/*",
                              "resetchannels", "&{app/*", "+@all"});
  const auto findings =
      (*backend("redis://plain:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
  ASSERT_TRUE(findings);
  EXPECT_EQ(find(*findings, "rights").fact, "missing");
  expect_finding(find(*findings, "keys"), Grade::good, "only some");
}

TEST(RedisInspect, AServerThatLacksReplicasToWriteIsBad) {
  RedisSettings settings;
  settings.arguments = {"--min-replicas-to-write", "1"};
  expect_finding(find(findings_of(RedisServer(settings)), "writes"), Grade::bad, "NOREPLICAS");
}

TEST(RedisInspect, AUserWhoIsNotLetInIsToldNothingElse) {
  const RedisServer server;
  const auto findings =
      (*backend("redis://nobody:pw@127.0.0.1:" + std::to_string(server.port())))->inspect();
  ASSERT_TRUE(failed_with(findings, Errc::rejected));
  EXPECT_THAT(findings.error().detail(), HasSubstr("WRONGPASS"));
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

TEST(RedisInspect, AReplicaThatHasLostItsPrimaryListsNoLocksBecauseItKnowsNotTheLatest) {
  const RedisServer replica;
  PlainRedis(replica).command({"REPLICAOF", "127.0.0.1", std::to_string(test::free_port())});
  const auto held = (*backend(replica.url()))->held_locks();
  ASSERT_TRUE(failed_with(held, Errc::unavailable));
  EXPECT_THAT(held.error().detail(), HasSubstr("a replica that has lost its primary"));
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
  const std::vector<Finding> findings = *answer;
  ASSERT_EQ(findings.size(), 1u);
  expect_finding(findings.front(), Grade::bad, "Sentinel");
}

TEST(RedisInspect, AServerThatIsAwayIsUnavailable) {
  const auto away = *backend("redis://127.0.0.1:" + std::to_string(test::free_port()));
  EXPECT_TRUE(failed_with(away->inspect(), Errc::unavailable));
  EXPECT_TRUE(failed_with(away->held_locks(), Errc::unavailable));
}

}  // namespace
}  // namespace interlock::redis
