// Operations on an event loop against a real server: order, batches, limits, and what each
// operation is told when things break.
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "async_fixture.hpp"
#include "support/child.hpp"
#include "support/scripted_redis.hpp"

// Stands before the system's send(), in this program, to count calls and to fill sockets.
extern "C" ssize_t send(int descriptor, const void* data, size_t size, int flags) {
  using namespace interlock::redis;
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

TEST_F(RedisAsync, WithoutADescriptorTheAdviceIsAboutDescriptorsAlone) {
  const std::string url = server_->url();
  EXPECT_EQ(test::in_child([&] {
              TestReactor reactor;
              const auto store = (*backend(url))->open_on(reactor);
              test::limit_descriptors(0);
              Asked asked(*store, get());
              reactor.run_until([&] { return asked.done(); });
              const std::string said = shown(asked.take());
              const bool is_about_both = said.find("is the server running") != said.npos;
              if (is_about_both) fprintf(stderr, "%s\n", said.c_str());
              return said.find("close some descriptors") != said.npos && !is_about_both ? 0 : 1;
            }),
            0);
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
  use(server, std::chrono::seconds{1});
  EXPECT_EQ(answer(set("v")), "\"OK\"");
  server.pause();
  std::deque<Asked> asked;
  for (int count = 0; count < 10; ++count) asked.emplace_back(*store_, set("w"));
  ASSERT_TRUE(all_done(asked));
  for (Asked& each : asked) {
    EXPECT_THAT(shown(each.take()), AllOf(StartsWith("indeterminate: no answer from redis://"),
                                          HasSubstr("silence for 1000 ms")));
  }
  EXPECT_THAT(answer(get()), StartsWith("unavailable: cannot connect"));
  server.resume();
  EXPECT_EQ(eventually(get()), "\"w\"");
}

// A machine that stands still: this process, and the server, for longer than the limit.
TEST_F(RedisAsync, OwnAbsenceIsNotTakenForSilence) {
  RedisServer server;
  use(server, std::chrono::seconds{1});
  // At first it connects; then it sends on an open connection, and waits for a message.
  for (const Operation& asked : {set("v"), get(), operation(OperationKind::subscribe, "channel")}) {
    server.pause();
    Asked answer(*store_, asked);
    reactor_.run_for(milliseconds{20});
    std::this_thread::sleep_for(milliseconds{1500});
    server.resume();
    ASSERT_TRUE(reactor_.run_until([&] { return answer.done(); }));
    EXPECT_THAT(shown(answer.take()), testing::AnyOf("\"OK\"", "\"v\"", "1"));
  }
}

TEST_F(RedisAsync, WhatDidNotLeaveWholeIsUnavailable) {
  RedisServer server;
  use(server, std::chrono::seconds{1});
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

TEST_F(RedisAsync, WhatDidNotLeaveWholeIsNotAnswered) {
  test::ScriptedRedis server({":7\r\n"});
  store_ = (*backend(server.url()))->open_on(reactor_);
  EXPECT_EQ(answer(get()), "7");
  send_limit = 5;
  Asked asked(*store_, get());
  reactor_.run_for(milliseconds{5});
  server.say(":8\r\n");
  ASSERT_TRUE(reactor_.run_until([&] { return asked.done(); }));
  EXPECT_THAT(shown(asked.take()), AllOf(StartsWith("unavailable: cannot send"),
                                         HasSubstr("an answer that nobody asked for")));
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
