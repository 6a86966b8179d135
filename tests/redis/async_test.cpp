// Operations on an event loop against a real server: order, batches, limits, and what each
// operation is told when things break.
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <deque>
#include <map>

#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"

namespace {
// Of the thread that drives the store: a proxy's thread sends as well.
thread_local int sends = 0;
thread_local std::size_t last_send = 0;  // in bytes
// While not 0, a send takes this many bytes, and the one after it finds the socket full.
thread_local std::size_t send_limit = 0;
thread_local bool socket_is_full = false;
}  // namespace

// Stands before the system's send(), in this program, to count calls and to fill sockets.
extern "C" ssize_t send(int descriptor, const void* data, size_t size, int flags) {
  ++sends;
  last_send = size;
  if (send_limit != 0) {
    if (std::exchange(socket_is_full, true)) {
      errno = EAGAIN;
      return -1;
    }
    size = std::min(size, send_limit);
  }
  return syscall(SYS_sendto, descriptor, data, size, flags, nullptr, 0);
}

namespace interlock::redis {
namespace {

using test::Asked;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::RedisSettings;
using test::shown;
using test::TestReactor;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Operation get(std::string key = "k") {
  return operation(OperationKind::get, std::move(key));
}
Operation set(std::string value) {
  return operation(OperationKind::set, "k", std::move(value));
}
Operation claim(std::string key, std::string owner = "il1:a") {
  return operation(OperationKind::claim, std::move(key), std::move(owner), milliseconds{60'000});
}
Operation release(std::string key, std::string owner = "il1:a") {
  return operation(OperationKind::release, std::move(key), std::move(owner));
}

class RedisAsync : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    plain_.command({"FLUSHALL"});
    send_limit = 0;
    socket_is_full = false;
  }

  void use(const RedisServer& server, Duration command_timeout = std::chrono::seconds{10}) {
    Options options = *parse_url(server.url());
    options.command_timeout = command_timeout;
    options.connect_timeout = command_timeout;
    store_ = backend(options)->open_on(reactor_);
  }
  std::string answer(Operation op) {
    Asked asked(*store_, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  std::string eventually(const Operation& op) {
    std::string said;
    const TimePoint end = reactor_.now() + std::chrono::seconds{20};
    do {
      said = answer(op);
      reactor_.run_for(milliseconds{1});
    } while (said.starts_with("unavailable") && reactor_.now() < end);
    return said;
  }
  // All at once, and the answers in order.
  std::vector<std::string> answers(const std::vector<Operation>& ops) {
    std::deque<Asked> asked;
    for (const Operation& op : ops) asked.emplace_back(*store_, op);
    EXPECT_TRUE(all_done(asked));
    std::vector<std::string> said;
    for (Asked& each : asked) said.push_back(shown(each.take()));
    return said;
  }
  // How many of a command the server has carried out since the last call.
  int calls(PlainRedis& plain, const std::string& command) {
    const std::string stats = plain.command({"INFO", "commandstats"});
    plain.command({"CONFIG", "RESETSTAT"});
    const std::string before = "cmdstat_" + command + ":calls=";
    const auto found = stats.find(before);
    return found == std::string::npos ? 0 : std::stoi(stats.substr(found + before.size()));
  }
  int calls(const std::string& command) { return calls(plain_, command); }
  bool all_done(const std::deque<Asked>& asked) {
    return reactor_.run_until([&] {
      return std::all_of(asked.begin(), asked.end(), [](const Asked& a) { return a.done(); });
    });
  }

  static std::unique_ptr<RedisServer> server_;
  PlainRedis plain_{*server_};
  TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_ = (*backend(server_->url()))->open_on(reactor_);
};
std::unique_ptr<RedisServer> RedisAsync::server_;

TEST_F(RedisAsync, OperationsAreAnsweredAsByTheBlockingStore) {
  EXPECT_EQ(answer(get()), "nil");
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  EXPECT_EQ(answer(operation(OperationKind::set_if_absent, "k", "w")), "0");
  EXPECT_EQ(answer(operation(OperationKind::exchange, "k", "w")), "\"v\"");
  EXPECT_EQ(answer(operation(OperationKind::increment, "n")), "1");
  EXPECT_THAT(answer(operation(OperationKind::increment, "k")), StartsWith("rejected: ERR value"));
  EXPECT_THAT(answer(claim("lock")), StartsWith("[1, "));
  EXPECT_EQ(answer(operation(OperationKind::release, "lock", "il1:a")), "1");
  EXPECT_EQ(answer(get()), "\"w\"");
}

TEST_F(RedisAsync, AThousandInFlightAreAnsweredInOrder) {
  std::deque<Asked> asked;
  for (int count = 0; count < 1000; ++count) {
    asked.emplace_back(*store_, operation(OperationKind::increment, "n"));
  }
  ASSERT_TRUE(all_done(asked));
  for (int count = 1; count <= 1000; ++count) {
    ASSERT_EQ(shown(asked[static_cast<std::size_t>(count - 1)].take()), std::to_string(count));
  }
}

TEST_F(RedisAsync, WhatIsSubmittedInOneTurnLeavesInOneWrite) {
  EXPECT_EQ(answer(get()), "nil");
  sends = 0;
  std::deque<Asked> asked;
  for (int count = 0; count < 100; ++count) asked.emplace_back(*store_, get());
  ASSERT_TRUE(all_done(asked));
  EXPECT_EQ(sends, 1);
}

Task<int> count_up(KeyValueStore* store, int times) {
  int done = 0;
  for (; done < times; ++done) {
    const Result<std::int64_t> number = co_await store->increment(Key("n"));
    if (!number) break;
  }
  co_return done;
}

TEST_F(RedisAsync, WhatAnswersSetOffLeavesInOneWriteToo) {
  EXPECT_EQ(answer(get()), "nil");
  std::deque<Task<int>> tasks;
  sends = 0;
  for (int client = 0; client < 64; ++client) {
    tasks.push_back(count_up(store_.get(), 20));
    tasks.back().start();
  }
  ASSERT_TRUE(reactor_.run_until([&] {
    return std::all_of(tasks.begin(), tasks.end(), [](const auto& task) { return task.done(); });
  }));
  EXPECT_EQ(plain_.command({"GET", "n"}), "1280");
  // Twenty rounds; the server may answer one in several pieces.
  EXPECT_LT(sends, 20 * 8);
}

TEST_F(RedisAsync, ScriptsThatTheServerForgotAreSentAgain) {
  EXPECT_THAT(answer(claim("k")), StartsWith("[1, "));
  plain_.command({"SCRIPT", "FLUSH"});
  std::deque<Asked> asked;
  for (int count = 0; count < 10; ++count) {
    asked.emplace_back(*store_, claim("k" + std::to_string(count)));
  }
  ASSERT_TRUE(all_done(asked));
  for (Asked& each : asked) EXPECT_THAT(shown(each.take()), StartsWith("[1, "));
}

TEST_F(RedisAsync, LocksThatAreClaimedTogetherAreClaimedInOneCommand) {
  std::vector<Operation> claims, releases;
  for (int number = 0; number < 100; ++number) {
    const std::string text = std::to_string(number);
    claims.push_back(claim("k" + text, "il1:" + text));
    releases.push_back(release("k" + text, "il1:" + text));
  }
  answers({claim("warm"), release("warm")});
  calls("evalsha");
  EXPECT_THAT(answers(claims), Each(StartsWith("[1, ")));
  EXPECT_EQ(calls("evalsha"), 4) << "32 locks to a command";
  for (int number = 0; number < 100; ++number) {
    const std::string text = std::to_string(number);
    EXPECT_EQ(plain_.command({"GET", "k" + text}), "il1:" + text);
  }
  EXPECT_THAT(answers(releases), Each("1"));
  EXPECT_EQ(calls("evalsha"), 4);
  EXPECT_EQ(plain_.command({"EXISTS", "k0", "k31", "k32", "k99"}), "0");
}

TEST_F(RedisAsync, OfLocksThatAreAskedTogetherEachGetsItsOwnAnswer) {
  plain_.command({"SET", "a", "il1:1", "PX", "60000"});
  plain_.command({"RPUSH", "c", "x"});
  plain_.command({"RPUSH", "{e}:interlock:fence", "x"});
  plain_.command({"SET", "g", "stranger"});
  const auto claimed = answers({claim("a"), claim("b"), claim("c"), claim("d"), claim("e"),
                                claim("f"), claim("g"), claim("h")});
  EXPECT_THAT(claimed, ElementsAre(StartsWith("[0, \"il1:1\", "), StartsWith("[1, "),
                                   StartsWith("rejected: WRONGTYPE"), StartsWith("[1, "),
                                   StartsWith("rejected: WRONGTYPE"), StartsWith("[1, "),
                                   "[0, \"stranger\", -1, -1]", StartsWith("[1, ")));
  EXPECT_EQ(plain_.command({"EXISTS", "e"}), "0");
  const auto renew = [](std::string key) {
    return operation(OperationKind::renew, std::move(key), "il1:a", milliseconds{120'000});
  };
  EXPECT_THAT(answers({renew("a"), renew("b"), renew("c"), renew("d"), renew("e")}),
              ElementsAre("-1", "1", StartsWith("rejected: WRONGTYPE"), "1", "0"));
  EXPECT_GT(std::stoi(plain_.command({"PTTL", "b"})), 60'000);
  EXPECT_LE(std::stoi(plain_.command({"PTTL", "a"})), 60'000);
  EXPECT_THAT(answers({release("a"), release("b"), release("c"), release("e"), release("f")}),
              ElementsAre("-1", "1", StartsWith("rejected: WRONGTYPE"), "0", "1"));
  EXPECT_EQ(plain_.command({"EXISTS", "a", "b", "c", "d", "f", "h"}), "4");
}

TEST_F(RedisAsync, TheSameLockTwiceIsNeverInOneCommand) {
  answers({claim("warm"), release("warm")});
  calls("evalsha");
  EXPECT_THAT(answers({claim("a"), claim("b"), claim("a", "il1:b"), claim("c")}),
              ElementsAre(StartsWith("[1, "), StartsWith("[1, "), StartsWith("[0, \"il1:a\""),
                          StartsWith("[1, ")));
  EXPECT_EQ(calls("evalsha"), 2);
  EXPECT_THAT(answers({release("a"), release("a"), release("b")}), ElementsAre("1", "0", "1"));
  EXPECT_EQ(calls("evalsha"), 2);
}

TEST_F(RedisAsync, OnlyNeighboursOfOneKindAndTtlAreJoinedSoTheOrderStays) {
  answers({claim("warm"), release("warm")});
  calls("evalsha");
  EXPECT_THAT(answers({claim("a"), claim("b"), release("a"), get("a"), release("b"), claim("a"),
                       operation(OperationKind::claim, "c", "il1:a", milliseconds{30'000})}),
              ElementsAre(StartsWith("[1, "), StartsWith("[1, "), "1", "nil", "1",
                          StartsWith("[1, "), StartsWith("[1, ")));
  EXPECT_EQ(calls("evalsha"), 5);
  const int left = std::stoi(plain_.command({"PTTL", "c"}));
  EXPECT_LE(left, 30'000);
}

TEST_F(RedisAsync, WhatIsForbiddenForOneLockIsToldOfThatOneAlone) {
  plain_.command({"ACL", "SETUSER", "half", "on", ">secret", "+@all", "&*", "~ok*", "~{ok*"});
  Options options = *parse_url(server_->url());
  options.user = "half";
  options.password = "secret";
  store_ = backend(options)->open_on(reactor_);
  EXPECT_THAT(answers({claim("ok1"), claim("no1"), claim("ok2"), claim("no2")}),
              ElementsAre(StartsWith("[1, "), StartsWith("rejected: NOPERM"), StartsWith("[1, "),
                          StartsWith("rejected: NOPERM")));
  EXPECT_THAT(answers({release("no1"), release("ok1"), release("ok2")}),
              ElementsAre(StartsWith("rejected: NOPERM"), "1", "1"));
}

TEST_F(RedisAsync, AReleaseThatMayNotBeAnnouncedChangesNothing) {
  plain_.command({"ACL", "SETUSER", "mute", "on", ">secret", "+@all", "resetchannels",
                  "&{a}:interlock:released", "~*"});
  Options options = *parse_url(server_->url());
  options.user = "mute";
  options.password = "secret";
  store_ = backend(options)->open_on(reactor_);
  PlainRedis listener(*server_);
  listener.command({"SUBSCRIBE", "{b}:interlock:released"});
  EXPECT_THAT(answers({claim("a"), claim("b")}), Each(StartsWith("[1, ")));
  EXPECT_THAT(answers({release("a"), release("b")}), ElementsAre("1", StartsWith("rejected: ")));
  EXPECT_EQ(plain_.command({"GET", "b"}), "il1:a");
}

TEST_F(RedisAsync, OfLocksReleasedTogetherThoseAreAnnouncedThatSomebodyListensTo) {
  PlainRedis one(*server_);
  one.command({"SUBSCRIBE", "{b}:interlock:released"});
  answers({claim("a"), claim("b"), claim("c")});
  calls("publish");
  EXPECT_THAT(answers({release("a"), release("b"), release("c")}), Each("1"));
  EXPECT_EQ(one.command({"PING"}), "[message, {b}:interlock:released, ]");
  EXPECT_EQ(calls("publish"), 1);

  PlainRedis many(*server_);
  many.command({"PSUBSCRIBE", "{[ac]}:interlock:released"});
  answers({claim("a"), claim("b"), claim("c")});
  EXPECT_THAT(answers({release("b"), release("c"), release("a")}), Each("1"));
  EXPECT_EQ(many.command({"PING"}),
            "[pmessage, {[ac]}:interlock:released, {c}:interlock:released, ]");
  EXPECT_EQ(one.command({"PING"}), "[pong, ]");
}

TEST_F(RedisAsync, OnAClusterEachLockIsACommandOfItsOwn) {
  RedisSettings settings;
  settings.arguments = {"--cluster-enabled", "yes", "--cluster-port",
                        std::to_string(test::free_port())};
  const RedisServer cluster(settings);
  PlainRedis plain(cluster);
  plain.command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  use(cluster);
  while (plain.command({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) {
    reactor_.run_for(milliseconds{10});
  }
  EXPECT_THAT(answers({claim("a"), claim("b"), claim("c")}), Each(StartsWith("[1, ")));
  calls(plain, "evalsha");
  EXPECT_THAT(answers({release("a"), release("b"), release("c"), release("d")}),
              ElementsAre("1", "1", "1", "0"));
  // The server knew none of the releases.
  EXPECT_EQ(calls(plain, "evalsha") + calls(plain, "eval"), 4);
  EXPECT_THAT(answers({claim("a"), claim("b"), claim("c")}), Each(StartsWith("[1, ")));
  EXPECT_EQ(calls(plain, "evalsha"), 3);
}

TEST_F(RedisAsync, AThousandOperationsWaitForTheFirstConnection) {
  std::deque<Asked> asked;
  for (int count = 0; count < 1000; ++count) asked.emplace_back(*store_, get());
  EXPECT_FALSE(asked.front().done());
  ASSERT_TRUE(all_done(asked));
  EXPECT_EQ(shown(asked.back().take()), "nil");
}

TEST_F(RedisAsync, TheQueueForAConnectionIsBounded) {
  std::deque<Asked> asked;
  for (int count = 0; count < 65'537; ++count) asked.emplace_back(*store_, get());
  EXPECT_TRUE(asked.back().done());
  EXPECT_THAT(shown(asked.back().take()),
              AllOf(StartsWith("unavailable: "), HasSubstr("65536 operations wait")));
  asked.pop_back();
  ASSERT_TRUE(all_done(asked));
}

TEST_F(RedisAsync, ANameIsResolvedWithoutBlockingTheLoop) {
  Options options;
  options.host = "localhost";
  options.port = static_cast<std::uint16_t>(server_->port());
  store_ = backend(options)->open_on(reactor_);
  EXPECT_EQ(answer(get()), "nil");
  options.host = "no-such-host.invalid";
  store_ = backend(options)->open_on(reactor_);
  EXPECT_THAT(answer(get()), StartsWith("unavailable: cannot connect to redis://no-such-host"));
}

TEST_F(RedisAsync, AStoreMayGoWhileItsNameIsBeingResolved) {
  Options options;
  options.host = "localhost";
  for (int round = 0; round < 20; ++round) {
    store_ = backend(options)->open_on(reactor_);
    Asked asked(*store_, get());
    reactor_.run_for(Duration{50});
    store_.reset();
    EXPECT_TRUE(asked.done());
  }
}

TEST_F(RedisAsync, UnixSocketServesAsTcpDoes) {
  store_ = (*backend(server_->unix_url()))->open_on(reactor_);
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  store_ = (*backend("redis+unix:///nonexistent/redis.sock"))->open_on(reactor_);
  EXPECT_THAT(answer(get()), AllOf(StartsWith("unavailable: "), HasSubstr("No such file")));
}

TEST_F(RedisAsync, AFailedAttemptTellsEverybodyAndAPauseFollows) {
  store_ = (*backend("redis://127.0.0.1:" + std::to_string(test::free_port())))->open_on(reactor_);
  std::deque<Asked> asked;
  for (int count = 0; count < 10; ++count) asked.emplace_back(*store_, get());
  EXPECT_FALSE(asked.front().done()) << "never inside submit";
  ASSERT_TRUE(all_done(asked));
  for (Asked& each : asked) EXPECT_THAT(shown(each.take()), HasSubstr("Connection refused"));
}

TEST_F(RedisAsync, RefusalsAtTheDoorAreRejected) {
  RedisSettings settings;
  settings.password = "right";
  const RedisServer server(settings);
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  store_ = (*backend("redis://:wrong@" + address))->open_on(reactor_);
  EXPECT_THAT(answer(get()), StartsWith("rejected: cannot log in"));
  EXPECT_THAT(answer(get()), StartsWith("rejected: cannot log in"));
  EXPECT_THAT(PlainRedis(server).command({"INFO", "commandstats"}),
              HasSubstr("cmdstat_auth:calls=2,"));
  store_ = (*backend("redis://:right@" + address + "/99"))->open_on(reactor_);
  EXPECT_THAT(answer(get()), StartsWith("rejected: cannot select database 99"));
  store_ = (*backend(server.url()))->open_on(reactor_);
  EXPECT_EQ(answer(get()), "nil");
}

TEST_F(RedisAsync, SilenceMakesWhatWasSentIndeterminate) {
  RedisServer server;
  use(server, milliseconds{100});
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  server.pause();
  std::deque<Asked> asked;
  for (int count = 0; count < 10; ++count) asked.emplace_back(*store_, set("w"));
  ASSERT_TRUE(all_done(asked));
  for (Asked& each : asked) {
    EXPECT_THAT(shown(each.take()), AllOf(StartsWith("indeterminate: no answer from redis://"),
                                          HasSubstr("silence for 100 ms")));
  }
  EXPECT_THAT(answer(get()), StartsWith("unavailable: cannot connect"));
  server.resume();
  EXPECT_EQ(eventually(get()), "\"w\"");
}

TEST_F(RedisAsync, WhatDidNotLeaveWholeIsUnavailable) {
  RedisServer server;
  use(server, milliseconds{100});
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  server.pause();
  std::string one_command = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nw\r\n";
  // Two commands, and all but the last byte of the third.
  send_limit = one_command.size() * 3 - 1;
  std::deque<Asked> asked;
  for (int count = 0; count < 5; ++count) asked.emplace_back(*store_, set("w"));
  ASSERT_TRUE(all_done(asked));
  for (std::size_t index = 0; index < 5; ++index) {
    EXPECT_THAT(shown(asked[index].take()),
                StartsWith(index < 2 ? "indeterminate: no answer" : "unavailable: cannot send"))
        << index;
  }
}

TEST_F(RedisAsync, OfJoinedLocksTheLastByteOfTheirCommandDecides) {
  RedisServer server;
  use(server, milliseconds{100});
  std::vector<Operation> claims;
  for (int number = 0; number < 40; ++number) claims.push_back(claim("k" + std::to_string(number)));
  EXPECT_THAT(answers(claims), Each(StartsWith("[1, ")));
  server.pause();
  // The two commands, of 32 and of 8, leave in one write when nothing is being read.
  sends = 0;
  std::deque<Asked> asked;
  for (const Operation& op : claims) asked.emplace_back(*store_, op);
  reactor_.run_for(milliseconds{10});
  EXPECT_EQ(sends, 1);
  const std::size_t all = last_send;
  ASSERT_TRUE(all_done(asked));
  for (Asked& each : asked) EXPECT_THAT(shown(each.take()), StartsWith("indeterminate: no answer"));

  server.resume();
  EXPECT_EQ(eventually(get()), "nil");
  server.pause();
  send_limit = all - 1;
  const std::vector<std::string> said = answers(claims);
  for (std::size_t index = 0; index < said.size(); ++index) {
    EXPECT_THAT(said[index],
                StartsWith(index < 32 ? "indeterminate: no answer" : "unavailable: cannot send"))
        << index;
  }
}

TEST_F(RedisAsync, AKilledServerMakesWhatWasSentIndeterminateAndIsUsedAgainLater) {
  RedisServer server;
  use(server);
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  server.pause();
  Asked asked(*store_, set("w"));
  reactor_.run_for(milliseconds{20});
  EXPECT_FALSE(asked.done());
  server.kill();
  ASSERT_TRUE(reactor_.run_until([&] { return asked.done(); }));
  EXPECT_THAT(shown(asked.take()), StartsWith("indeterminate: no answer from"));
  EXPECT_THAT(answer(get()), StartsWith("unavailable: cannot connect"));
  server.start();
  EXPECT_EQ(eventually(get()), "nil");
}

TEST_F(RedisAsync, AConnectionThatWasClosedWhileIdleIsReplacedUnnoticed) {
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  plain_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  reactor_.run_for(milliseconds{20});
  EXPECT_EQ(answer(get()), "\"v\"");
}

TEST_F(RedisAsync, AStoreThatGoesCompletesEverythingOnce) {
  RedisServer server;
  use(server);
  Asked queued(*store_, set("v"));
  store_.reset();
  ASSERT_TRUE(queued.done());
  EXPECT_THAT(shown(queued.take()), StartsWith("unavailable: "));

  use(server);
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  server.pause();
  std::deque<Asked> in_flight;
  for (int count = 0; count < 10; ++count) in_flight.emplace_back(*store_, set("w"));
  Asked unsent(*store_, set("x"));
  reactor_.run_for(milliseconds{10});
  store_.reset();
  for (Asked& each : in_flight) {
    ASSERT_TRUE(each.done());
    EXPECT_THAT(shown(each.take()), StartsWith("indeterminate: "));
  }
  EXPECT_TRUE(unsent.done());
}

Task<std::string> end_it(std::unique_ptr<KeyValueStore>* store) {
  const Reply reply = co_await test::reply_to(store->get(), get());
  store->reset();
  co_return shown(reply);
}

TEST_F(RedisAsync, AnAnswerMayEndTheStore) {
  EXPECT_EQ(answer(get()), "nil");
  std::deque<Asked> asked;
  auto ending = end_it(&store_);
  ending.start();
  for (int count = 0; count < 10; ++count) asked.emplace_back(*store_, get());
  ASSERT_TRUE(reactor_.run_until([&] { return ending.done(); }));
  EXPECT_EQ(ending.take(), "nil");
  for (Asked& each : asked) EXPECT_TRUE(each.done()) << "completed before the store went";
}

Task<std::string> claim_and_end_it(std::unique_ptr<KeyValueStore>* store) {
  const Reply reply = co_await test::reply_to(store->get(), claim("k"));
  store->reset();
  co_return shown(reply);
}

TEST_F(RedisAsync, AJoinedAnswerMayEndTheStoreAndTheOthersKeepTheirs) {
  EXPECT_EQ(answer(get()), "nil");
  std::deque<Asked> asked;
  auto ending = claim_and_end_it(&store_);
  ending.start();
  for (int count = 0; count < 10; ++count) {
    asked.emplace_back(*store_, claim("k" + std::to_string(count)));
  }
  Asked other_kind(*store_, release("k0"));
  ASSERT_TRUE(reactor_.run_until([&] { return ending.done(); }));
  EXPECT_THAT(ending.take(), StartsWith("[1, "));
  for (Asked& each : asked) {
    ASSERT_TRUE(each.done()) << "completed before the store went";
    EXPECT_THAT(shown(each.take()), StartsWith("[1, "));
  }
  ASSERT_TRUE(other_kind.done());
}

TEST_F(RedisAsync, AFailureMayEndTheStore) {
  RedisServer server;
  use(server);
  EXPECT_EQ(answer(get()), "nil");
  server.pause();
  auto ending = end_it(&store_);
  ending.start();
  std::deque<Asked> asked;
  for (int count = 0; count < 10; ++count) asked.emplace_back(*store_, get());
  reactor_.run_for(milliseconds{10});
  server.kill();
  ASSERT_TRUE(reactor_.run_until([&] { return ending.done(); }));
  for (Asked& each : asked) EXPECT_TRUE(each.done()) << "completed before the store went";
}

TEST_F(RedisAsync, LargeValuesPassInPieces) {
  const std::string large(8'000'000, 'x');
  EXPECT_EQ(answer(set(large)), "\"OK\"");
  Asked asked(*store_, get());
  ASSERT_TRUE(reactor_.run_until([&] { return asked.done(); }));
  const Reply reply = asked.take();
  ASSERT_TRUE(reply && reply->text());
  EXPECT_TRUE(*reply->text() == large);
}

}  // namespace
}  // namespace interlock::redis
