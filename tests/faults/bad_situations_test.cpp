// Mistakes and unfit servers: one line, the right exit code, and nothing changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class BadSituations : public testing::Test {
 protected:
  std::string url(const std::string& rest = {}) const {
    return "redis://127.0.0.1:" + std::to_string(redis_.port()) + rest;
  }
  void expect_refusal(int code,
                      const std::string& why,
                      const std::string& store,
                      const std::string& lock,
                      const std::vector<std::string>& flags = {}) {
    SCOPED_TRACE(why);
    std::vector<std::string> words{"run", "--store", store};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {lock, "--", "touch", folder_ / "ran"});
    const std::string before = plain_.command({"KEYS", "*"});
    Program program(folder_, words);
    EXPECT_EQ(program.wait(), code) << program.err();
    EXPECT_THAT(lines_of(program.err()), SizeIs(1));
    EXPECT_THAT(program.err(), HasSubstr(why));
    EXPECT_EQ(plain_.command({"KEYS", "*"}), before);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  }

  RedisServer redis_;
  PlainRedis plain_{redis_};
  ScratchFolder folder_;
};

TEST_F(BadSituations, AKeyOfAnotherTypeIsLeftAlone) {
  plain_.command({"LPUSH", "deploy", "1"});
  expect_refusal(78, "is not a lock", url(), "deploy");
  EXPECT_EQ(plain_.command({"LRANGE", "deploy", "0", "-1"}), "[1]");
}

TEST_F(BadSituations, AReadOnlyReplicaIsUnfit) {
  RedisSettings settings;
  settings.replica_of = redis_.port();
  RedisServer replica(settings);
  PlainRedis at_replica(replica);
  ASSERT_TRUE(comes_true([&] {
    return at_replica.command({"INFO", "replication"}).find("link_status:up") != std::string::npos;
  }));
  expect_refusal(78, "READONLY", "redis://127.0.0.1:" + std::to_string(replica.port()), "deploy");
}

TEST_F(BadSituations, ADatabaseThatTheServerHasNotIsAMistakeOfConfiguration) {
  expect_refusal(78, "DB index is out of range", url("/9999"), "deploy");
}

TEST_F(BadSituations, AWrongPasswordIsRefusedAndNotShown) {
  RedisSettings settings;
  settings.password = "right";
  RedisServer guarded(settings);
  const std::string at = "127.0.0.1:" + std::to_string(guarded.port());
  expect_refusal(77, "access refused", "redis://:wrongone@" + at, "deploy");
  expect_refusal(77, "access refused", "redis://" + at, "deploy");
}

TEST_F(BadSituations, MistakesInTheCommandLineContactNobody) {
  expect_refusal(64, "lock name is empty", url(), "");
  // The longest that the system lets through as one argument is 128 KiB.
  expect_refusal(64, "at most 512", url(), std::string(120'000, 'x'));
  expect_refusal(64, "out of range", url(), "deploy", {"--ttl", "0"});
  expect_refusal(64, "out of range", url(), "deploy", {"--ttl", "109500d"});
  expect_refusal(64, "has no unit", url(), "deploy", {"--ttl", "5"});
  expect_refusal(64, "is not a store", "carrier-pigeon://coop", "deploy");
}

TEST_F(BadSituations, APlainSetNxAndTheProgramExcludeEachOther) {
  plain_.command({"SET", "deploy", "foreign", "NX", "PX", "60000"});
  expect_refusal(75, "held by another program", url(), "deploy", {"-w", "0"});
  EXPECT_EQ(plain_.command({"GET", "deploy"}), "foreign");
  plain_.command({"DEL", "deploy"});
  Program holder(folder_, {"run", "--store", url(), "deploy", "--", "sleep", "60"});
  ASSERT_TRUE(comes_true([&] { return plain_.command({"EXISTS", "deploy"}) == "1"; }));
  EXPECT_EQ(plain_.command({"SET", "deploy", "foreign", "NX", "PX", "60000"}), "(nil)");
}

}  // namespace
}  // namespace interlock::test
