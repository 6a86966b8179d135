// What happens to a blocking store when the server is away, silent, closed to us, or a replica.
#include <gmock/gmock.h>

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/scripted_redis.hpp"

namespace interlock::redis {
namespace {

using std::chrono::steady_clock;
using test::ask;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::RedisSettings;
using test::shown;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Operation get(std::string key = "k") {
  return operation(OperationKind::get, std::move(key));
}
Operation set(std::string value) {
  return operation(OperationKind::set, "k", std::move(value));
}

std::unique_ptr<KeyValueStore> store_with_limits(const RedisServer& server, Duration limit) {
  Options options = *parse_url(server.url());
  options.command_timeout = limit;
  options.connect_timeout = limit;
  return backend(options)->open();
}

// Tries until it works: a store in back-off answers at once, and the pauses are at most a second.
std::string eventually(KeyValueStore& store, const Operation& op) {
  const auto deadline = steady_clock::now() + std::chrono::seconds{20};
  Reply reply = ask(store, op);
  while (!reply && steady_clock::now() < deadline) reply = ask(store, op);
  return shown(reply);
}

TEST(RedisBlockingConnection, RefusedIsUnavailableAndSaysWhere) {
  const std::string url = "redis://:secret@127.0.0.1:" + std::to_string(test::free_port());
  const auto store = (*backend(url))->open();
  const std::string said = shown(ask(*store, get()));
  EXPECT_THAT(said, AllOf(StartsWith("unavailable: cannot connect to redis://127.0.0.1:"),
                          HasSubstr("Connection refused"), Not(HasSubstr("secret"))));
}

TEST(RedisBlockingConnection, AMissingSocketIsUnavailable) {
  const auto store = (*backend("redis+unix:///nonexistent/redis.sock"))->open();
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("unavailable: cannot connect to redis+unix:///nonexistent"),
                    HasSubstr("No such file or directory")));
}

// As what speaks TLS says to plain text, and as what only closes.
TEST(RedisBlockingConnection, WhatAnswersAndIsNoRedisServerIsUnavailableAndAskedAboutTls) {
  for (const char* greeted : {"\x15\x03\x03", "HTTP/1.1 400 Bad Request\r\n"}) {
    const test::ScriptedRedis server({"+OK\r\n"}, greeted);
    const auto store = (*backend(server.url()))->open();
    EXPECT_THAT(shown(ask(*store, get())),
                AllOf(StartsWith("unavailable: cannot connect to " +
                                 (*backend(server.url()))->description() + ": Protocol"),
                      HasSubstr("without TLS?"), Not(HasSubstr("no answer"))));
  }
}

TEST(RedisBlockingConnection, AnUnknownHostIsUnavailable) {
  const auto store = (*backend("redis://no-such-host.invalid"))->open();
  EXPECT_THAT(shown(ask(*store, get())),
              StartsWith("unavailable: cannot connect to redis://no-such-host.invalid:6379/0: "));
}

TEST(RedisBlockingConnection, APauseAfterAFailureIsAnsweredWithTheSameReason) {
  const auto store = (*backend("redis://127.0.0.1:" + std::to_string(test::free_port())))->open();
  std::string first = shown(ask(*store, get()));
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    ASSERT_EQ(shown(ask(*store, get())), first);
  }
}

TEST(RedisBlockingConnection, AWrongPasswordIsRejectedWithoutAStorm) {
  RedisSettings settings;
  settings.password = "right";
  const RedisServer server(settings);
  const std::string address = "127.0.0.1:" + std::to_string(server.port());

  const auto store = (*backend("redis://:wrong@" + address))->open();
  const std::string said = shown(ask(*store, get()));
  EXPECT_THAT(said, AllOf(StartsWith("rejected: cannot log in to redis://127.0.0.1:"),
                          HasSubstr("WRONGPASS"), Not(HasSubstr("wrong@"))));
  for (int attempt = 0; attempt < 1000; ++attempt) ASSERT_EQ(shown(ask(*store, get())), said);
  PlainRedis plain(server);
  EXPECT_THAT(plain.command({"INFO", "stats"}), HasSubstr("total_error_replies:"));
  EXPECT_THAT(plain.command({"INFO", "commandstats"}), HasSubstr("cmdstat_auth:calls=2,"));

  EXPECT_THAT(shown(ask(*(*backend("redis://" + address))->open(), get())),
              AllOf(StartsWith("rejected: cannot use redis://"), HasSubstr("wants a password")));
  EXPECT_THAT(shown(ask(*(*backend("redis://nobody:right@" + address))->open(), get())),
              StartsWith("rejected: cannot log in"));
  EXPECT_EQ(shown(ask(*(*backend(server.url()))->open(), get())), "nil");
  EXPECT_EQ(shown(ask(*(*backend(server.unix_url()))->open(), get())), "nil");
  EXPECT_EQ(shown(ask(*(*backend("redis://default:right@" + address))->open(), get())), "nil");
}

TEST(RedisBlockingConnection, AUserWithoutPermissionIsToldSo) {
  const RedisServer server;
  PlainRedis plain(server);
  plain.command({"ACL", "SETUSER", "reader", "on", ">pw", "~*", "+get"});
  const auto store =
      (*backend("redis://reader:pw@127.0.0.1:" + std::to_string(server.port())))->open();
  EXPECT_EQ(shown(ask(*store, get())), "nil");
  EXPECT_THAT(shown(ask(*store, set("v"))), StartsWith("rejected: NOPERM"));
}

TEST(RedisBlockingConnection, ADatabaseOutOfRangeIsRejected) {
  const RedisServer server;
  const auto store =
      (*backend("redis://127.0.0.1:" + std::to_string(server.port()) + "/99"))->open();
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("rejected: cannot select database 99"), HasSubstr("out of range")));
}

TEST(RedisBlockingConnection, AReplicaRefusesWrites) {
  const RedisServer primary;
  const RedisServer replica(test::replica_of(primary));
  const auto store = (*backend(replica.url()))->open();
  EXPECT_THAT(eventually(*store, get()), "nil");
  EXPECT_THAT(shown(ask(*store, set("v"))),
              AllOf(StartsWith("unavailable: READONLY"), HasSubstr("use the primary's address")));
  EXPECT_THAT(shown(ask(*store, operation(OperationKind::claim, "k", "il1:a", milliseconds{9}))),
              StartsWith("unavailable: READONLY"));
}

TEST(RedisBlockingConnection, AFullServerRefusesAndIsUnchanged) {
  RedisSettings settings;
  settings.maxmemory = "1";
  const RedisServer server(settings);
  const auto store = (*backend(server.url()))->open();
  EXPECT_THAT(
      shown(ask(*store, operation(OperationKind::claim, "k", "il1:a", milliseconds{60'000}))),
      StartsWith("rejected: OOM"));
  EXPECT_EQ(shown(ask(*store, get("{k}:interlock:fence"))), "nil");
}

TEST(RedisBlockingConnection, ARestartWhileIdleGoesUnnoticed) {
  RedisServer server;
  const auto store = (*backend(server.url()))->open();
  EXPECT_EQ(shown(ask(*store, set("v"))), "\"OK\"");
  server.stop();
  server.start();
  EXPECT_EQ(shown(ask(*store, get())), "nil");
}

TEST(RedisBlockingConnection, AServerThatIsGoneIsUnavailableAndUsedAgainWhenItIsBack) {
  RedisServer server;
  const auto store = (*backend(server.unix_url()))->open();
  EXPECT_EQ(shown(ask(*store, set("v"))), "\"OK\"");
  server.kill();
  EXPECT_THAT(shown(ask(*store, get())), StartsWith("unavailable: "));
  server.start();
  EXPECT_EQ(eventually(*store, get()), "nil");
}

TEST(RedisBlockingConnection, SilenceEndsWithTheCommandTimeoutAsIndeterminate) {
  RedisServer server;
  const auto store = store_with_limits(server, milliseconds{1000});
  EXPECT_EQ(shown(ask(*store, set("before"))), "\"OK\"");
  server.pause();
  const auto began = steady_clock::now();
  EXPECT_THAT(shown(ask(*store, set("after"))), StartsWith("indeterminate: no answer from"));
  EXPECT_GE(steady_clock::now() - began, milliseconds{995});
  // The kernel still accepts connections in the server's name; the greeting finds out.
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("unavailable: "), HasSubstr("said nothing within 1000 ms")));
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds{30});
  server.resume();
  EXPECT_EQ(eventually(*store, get()), "\"after\"");
}

// A machine that stands still: this thread, and the server, for longer than the limit.
class Standstill {
 public:
  explicit Standstill(RedisServer& server) : server_(&server) {
    current = this;
    ::signal(SIGUSR1, [](int) { current->stand_still(); });
    server.pause();
    begins_ = std::thread([whom = ::pthread_self()] {
      std::this_thread::sleep_for(milliseconds{20});
      ::pthread_kill(whom, SIGUSR1);
    });
  }
  ~Standstill() {
    begins_.join();
    ::signal(SIGUSR1, SIG_DFL);
  }
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;

 private:
  void stand_still() const {
    std::this_thread::sleep_for(milliseconds{1500});
    server_->resume();
  }

  static inline Standstill* current = nullptr;
  RedisServer* server_;
  std::thread begins_;
};

TEST(RedisBlockingConnection, OwnAbsenceIsNotTakenForSilence) {
  RedisServer server;
  const auto store = store_with_limits(server, milliseconds{1000});
  // At first it connects.
  for (const Operation& asked : {set("v"), get()}) {
    const Standstill standstill(server);
    EXPECT_THAT(shown(ask(*store, asked)), ::testing::AnyOf("\"OK\"", "\"v\""));
  }
}

// The command is under way when the server dies: a script keeps it busy for as long as we like.
TEST(RedisBlockingConnection, AServerKilledBeforeItAnsweredIsIndeterminate) {
  RedisServer server;
  const auto store = (*backend(server.url()))->open();
  EXPECT_EQ(shown(ask(*store, set("v"))), "\"OK\"");
  server.pause();
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds{100});
    server.kill();
  });
  EXPECT_THAT(shown(ask(*store, set("w"))), StartsWith("indeterminate: no answer from"));
  killer.join();
}

TEST(RedisBlockingConnection, ABusyServerHasNotExecutedTheCommand) {
  RedisSettings settings;
  settings.arguments = {"--busy-reply-threshold", "1"};
  RedisServer server(settings);
  const auto store = (*backend(server.url()))->open();
  EXPECT_EQ(shown(ask(*store, set("v"))), "\"OK\"");
  std::thread busy([&] { PlainRedis(server).command({"EVAL", "while true do end", "0"}); });
  std::string said = shown(ask(*store, get()));
  const auto deadline = steady_clock::now() + std::chrono::seconds{20};
  while (said == "\"v\"" && steady_clock::now() < deadline) said = shown(ask(*store, get()));
  EXPECT_THAT(said,
              AllOf(StartsWith("unavailable: "), HasSubstr("BUSY"), HasSubstr("SCRIPT KILL")));
  const auto newcomer = (*backend(server.url()))->open();
  EXPECT_THAT(shown(ask(*newcomer, get())), AllOf(StartsWith("unavailable: cannot connect to "),
                                                  HasSubstr(": the server is not ready: BUSY"),
                                                  HasSubstr(": wait until that script has ended"),
                                                  Not(HasSubstr("is the server running"))));
  PlainRedis(server).command({"SCRIPT", "KILL"});
  busy.join();
  EXPECT_EQ(eventually(*store, get()), "\"v\"");
}

TEST(RedisBlockingConnection, ARedirectToAnotherClusterNodeIsExplained) {
  RedisSettings settings;
  settings.arguments = {"--cluster-enabled", "yes"};
  const RedisServer server(settings);
  PlainRedis plain(server);
  const auto store = (*backend(server.url()))->open();
  EXPECT_THAT(shown(ask(*store, get())),
              AllOf(StartsWith("unavailable: "), HasSubstr("CLUSTERDOWN")));
}

}  // namespace
}  // namespace interlock::redis
