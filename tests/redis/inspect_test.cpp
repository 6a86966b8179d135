// What a server is said to promise.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

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

const std::string waits = "?after-failover=wait&longest-ttl=60s";

std::vector<Finding> findings_at(const std::string& url) {
  const auto findings = (*backend(url))->inspect();
  EXPECT_TRUE(findings) << findings.error().detail();
  return findings ? *findings : std::vector<Finding>();
}

std::vector<Finding> findings_of(const RedisServer& server) {
  return findings_at(server.url());
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

TEST(RedisInspect, WithoutTheRightToAskWhetherThereAreSnapshotsIsNotKnown) {
  const RedisServer server;
  PlainRedis(server).command({"ACL", "SETUSER", "me", "on", ">pw", "~*", "&*", "+@all", "-config"});
  const auto findings =
      findings_at("redis://me:pw@127.0.0.1:" + std::to_string(server.port()) + "/0");
  expect_finding(find(findings, "persistence"), Grade::warning, "(CONFIG GET is refused)");
}

TEST(RedisInspect, AnAppendOnlyFileWrittenAlwaysIsGood) {
  RedisSettings settings;
  settings.append_only = true;
  expect_finding(find(findings_of(RedisServer(settings)), "persistence"), Grade::good,
                 "append-only");
}

TEST(RedisInspect, TheLineThatSkipsTheFirstQuarantineNamesTheServerAndNoPassword) {
  const RedisServer server;
  PlainRedis(server).command({"ACL", "SETUSER", "me", "on", ">pw", "~*", "&*", "+@all"});
  const std::string port = std::to_string(server.port());
  EXPECT_THAT(find(findings_at("redis://127.0.0.1:" + port + "/3" + waits), "quarantine").advice,
              HasSubstr("skip the first quarantine: redis-cli -h 127.0.0.1 -p " + port +
                        " -n 3 SET interlock:incarnation '"));
  EXPECT_THAT(
      find(findings_at("redis://me:pw@127.0.0.1:" + port + "/3" + waits), "quarantine").advice,
      HasSubstr(": redis-cli -h 127.0.0.1 -p " + port + " -n 3 --user me --askpass SET "));
  EXPECT_THAT(find(findings_at(server.unix_url() + waits), "quarantine").advice,
              HasSubstr(": redis-cli -s " + server.unix_socket() + " -n 0 SET "));
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

// A server with one user, `plain`, who has these rights.
class ServerWithRights {
 public:
  explicit ServerWithRights(const std::vector<std::string>& rights) {
    std::vector<std::string> command{"ACL", "SETUSER", "plain", "reset", "on", ">pw"};
    command.insert(command.end(), rights.begin(), rights.end());
    PlainRedis(server_).command(command);
  }
  std::vector<Finding> findings(const std::optional<LockName>& lock = std::nullopt) const {
    const auto opened = backend("redis://plain:pw@127.0.0.1:" + std::to_string(server_.port()));
    const auto findings = lock ? (*opened)->inspect_for(*lock) : (*opened)->inspect();
    EXPECT_TRUE(findings);
    return findings ? *findings : std::vector<Finding>();
  }

 private:
  RedisServer server_;
};

const LockName of_app = *LockName::parse("app/deploy");
const LockName of_others = *LockName::parse("other");

TEST(RedisInspect, RightsToSomeKeysAreAWarningUntilALockIsNamed) {
  const ServerWithRights server({"~app/*", "~{app/*", "&{app/*", "&interlock:ear:*", "+@all"});
  EXPECT_EQ(find(server.findings(), "rights").fact, "missing");
  expect_finding(find(server.findings(), "keys"), Grade::warning, "only some");
  EXPECT_EQ(find(server.findings(of_app), "rights").fact, "missing");
  expect_finding(find(server.findings(of_app), "keys"), Grade::good, "those of 'app/deploy'");
  expect_finding(find(server.findings(of_others), "rights"), Grade::bad, "read the key other");
}

TEST(RedisInspect, AllKeysOfALockAreNeeded) {
  const ServerWithRights server({"~app/*", "&*", "+@all"});
  expect_finding(find(server.findings(of_app), "rights"), Grade::bad,
                 "may not read the key {app/deploy}:interlock:");
}

TEST(RedisInspect, KeysThatOnlySomeKindsOfLocksNeedAreAWarning) {
  const ServerWithRights server({"~app/deploy", "~{app/deploy}:interlock:fence",
                                 "~{app/deploy}:interlock:queue", "&*", "+@all"});
  const std::vector<Finding> findings = server.findings(of_app);
  EXPECT_EQ(find(findings, "rights").fact, "missing");
  std::string warnings;
  for (const Finding& each : findings) {
    if (each.subject == "keys" && each.grade == Grade::warning) warnings += each.fact + "\n";
  }
  EXPECT_THAT(warnings, HasSubstr(": --shared and --permits are refused\n"));
  EXPECT_THAT(warnings, HasSubstr(": --every and --at-least do not note their runs\n"));
  EXPECT_THAT(warnings, HasSubstr(": interlock elect is refused\n"));
}

TEST(RedisInspect, KeysThatMayNotBeWrittenAreBad) {
  const ServerWithRights server({"%R~*", "&*", "+@all"});
  expect_finding(find(server.findings(), "rights"), Grade::bad, "may not write to the keys");
  expect_finding(find(server.findings(of_app), "rights"), Grade::bad, "write the key app/deploy");
}

// What ACL SETUSER gives to a new user of Redis 7 unless it is told otherwise.
TEST(RedisInspect, AUserOfNoChannelIsBad) {
  const ServerWithRights none({"~*", "resetchannels", "+@all"});
  expect_finding(find(none.findings(), "rights"), Grade::bad, "use the channels interlock:ear:*");
  const ServerWithRights ears({"~*", "resetchannels", "&interlock:ear:*", "+@all"});
  expect_finding(find(ears.findings(), "rights"), Grade::bad,
                 "use the channels of the locks whose keys it may use");
  expect_finding(find(ears.findings(of_app), "rights"), Grade::bad,
                 "use the channel {app/deploy}:interlock:");
}

TEST(RedisInspect, AUserWithoutSortedSetsIsWarned) {
  const ServerWithRights server({"~*", "&*", "+@all", "-@sortedset"});
  expect_finding(find(server.findings(), "readers, permits"), Grade::warning, " zadd");
  EXPECT_EQ(find(server.findings(), "rights").fact, "missing");
}

std::string shown_all(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& each : findings) text += each.subject + ": " + each.fact + "\n";
  return text;
}

void skip_the_first_quarantine(const RedisServer& server, const std::string& lasts) {
  PlainRedis plain(server);
  const std::string info = plain.command({"INFO", "replication"});
  const std::string id = info.substr(info.find("master_replid:") + 14, 40);
  plain.command({"SET", "interlock:incarnation", id + " 0 " + lasts});
}

TEST(RedisInspect, AReplicaThatAcceptsWritesIsNotSaidToRefuseThem) {
  const RedisServer primary;
  const RedisServer replica(test::replica_of(primary));
  PlainRedis(replica).command({"CONFIG", "SET", "replica-read-only", "no"});
  expect_finding(find(findings_of(replica), "role"), Grade::bad, "a replica that accepts writes");
  expect_finding(find(findings_at(replica.url() + waits), "role"), Grade::bad,
                 "a replica that accepts writes");
}

// An old primary on whose side a replica stays has as many as it needs, and goes on.
TEST(RedisInspect, APrimaryThatMayKeepEnoughReplicasWhenItIsReplacedIsAWarning) {
  const RedisServer primary;
  const RedisServer one(test::replica_of(primary));
  const RedisServer other(test::replica_of(primary));
  PlainRedis plain(primary);
  plain.command({"WAIT", "2", "20000"});
  const std::string url = primary.url() + waits + "&max-lag=10s";
  const auto replicas = [&](const char* needed) {
    plain.command({"CONFIG", "SET", "min-replicas-to-write", needed});
    return find(findings_at(url), "replicas");
  };
  const Finding kept = replicas("1");
  expect_finding(kept, Grade::warning, "2: a primary that is replaced grants locks for ever if 1");
  EXPECT_THAT(kept.advice, HasSubstr("set min-replicas-to-write 2 on all servers"));
  EXPECT_THAT(kept.advice, HasSubstr("--store-outage"));
  expect_finding(replicas("2"), Grade::good, "stops within 10 s");
  const Finding none = replicas("0");
  expect_finding(none, Grade::warning, "2: a primary that is replaced grants locks for ever");
  EXPECT_THAT(none.advice, HasSubstr("set min-replicas-to-write 2 on all servers"));
}

TEST(RedisInspect, ALongerQuarantineOfOthersAndOneThatRunsAreBothTold) {
  const RedisServer server;
  skip_the_first_quarantine(server, "90000");
  PlainRedis plain(server);
  std::string noted = plain.command({"GET", "interlock:incarnation"});
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto end = std::chrono::floor<milliseconds>(now) + std::chrono::seconds{80};
  noted.replace(40, 2, " " + std::to_string(end.count()));
  plain.command({"SET", "interlock:incarnation", noted});
  const std::string all = shown_all(findings_at(server.url() + waits));
  EXPECT_THAT(all, HasSubstr("other clients have or had one of 90 s, this URL one of 60 s"));
  EXPECT_THAT(all, HasSubstr("no lock is granted for another "));
}

TEST(RedisInspect, AUrlThatDoesNotWaitAsOtherClientsDoIsAWarning) {
  const RedisServer server;
  EXPECT_EQ(find(findings_of(server), "quarantine").fact, "missing");
  skip_the_first_quarantine(server, "60000");
  const Finding found = find(findings_of(server), "quarantine");
  expect_finding(found, Grade::warning, "other clients wait for 60 s after a failover");
  EXPECT_THAT(found.advice, HasSubstr("after-failover=wait"));
}

TEST(RedisInspect, AUserWhoMayReadTheIncarnationButNotWriteItIsBad) {
  const RedisServer server;
  const std::string url =
      "redis://reader:pw@127.0.0.1:" + std::to_string(server.port()) + "/0" + waits;
  PlainRedis plain(server);
  for (const char* rights : {"%R~interlock:incarnation", "%RW~interlock:incarnation"}) {
    plain.command({"ACL", "SETUSER", "reader", "reset", "on", ">pw", "~app/*", "~{app/*", rights,
                   "&*", "+@all"});
    const bool may_write = std::string(rights).starts_with("%RW");
    for (const bool is_known : {false, true}) {
      plain.command({"FLUSHALL"});
      if (is_known) skip_the_first_quarantine(server, "60000");
      const std::string before = plain.command({"GET", "interlock:incarnation"});
      const Finding found = find(findings_at(url), "quarantine");
      EXPECT_EQ(found.grade == Grade::bad, !may_write) << found.fact;
      if (!may_write) expect_finding(found, Grade::bad, "NOPERM: this user may not write the key");
      EXPECT_EQ(plain.command({"GET", "interlock:incarnation"}), before);
    }
  }
}

TEST(RedisInspect, AClockThatIsWrongMattersToAQuarantineAlone) {
  // Every answer is the time, long ago.
  const test::ScriptedRedis server({"*2\r\n$1\r\n1\r\n$1\r\n0\r\n"});
  const Finding without = find(findings_at(server.url()), "clock");
  expect_finding(without, Grade::warning, " s behind this machine's");
  EXPECT_THAT(without.advice, HasSubstr("locks do not depend on it"));
  const Finding with = find(findings_at(server.url() + waits), "clock");
  expect_finding(with, Grade::warning, " s behind this machine's");
  EXPECT_THAT(with.advice, HasSubstr("the quarantine depends on them"));
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

// Source: INFO of Valkey 8.1.1.
TEST(RedisInspect, ValkeyIsNamed) {
  const std::string info =
      "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n";
  const test::ScriptedRedis valkey({test::bulk(info)});
  const auto answer = (*backend(valkey.url()))->inspect();
  ASSERT_TRUE(answer);
  const std::vector<Finding> findings = *answer;
  ASSERT_FALSE(findings.empty());
  expect_finding(findings.front(), Grade::good, "Valkey 8.1.1, as Redis 7.2.4");
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
