// A reply too many, as a broken proxy may give, is never the answer to what is asked next.
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "support/ask.hpp"
#include "support/scripted_redis.hpp"
#include "support/test_reactor.hpp"

namespace interlock::redis {
namespace {

using test::Asked;
using test::operation;
using test::ScriptedRedis;
using test::shown;
using test::TestReactor;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Operation get() {
  return operation(OperationKind::get, "k");
}
Operation claim(std::string lock, std::string owner) {
  return operation(OperationKind::claim, std::move(lock), std::move(owner), milliseconds{60'000});
}
Operation fair_claim(std::string lock, std::string owner) {
  Operation made(OperationKind::run);
  made.script = &queue_claim_script();
  made.keys = {Key(lock), Key("{" + lock + "}:interlock:fence"),
               Key("{" + lock + "}:interlock:queue")};
  made.arguments = {std::move(owner), "60000", "3660000", "48", "500"};
  return made;
}
std::string grant(std::int64_t token) {
  return ":" + std::to_string(token) + "\r\n";
}
const std::string busy = "*4\r\n:0\r\n$5\r\nil1:b\r\n:30000\r\n:1\r\n";

// A token as a server's clock gives it.
constexpr std::int64_t today = 1'700'000'000'000'000;

// Both kinds of store.
enum class Kind { blocking, on_a_loop };

class UnaskedReplies : public ::testing::TestWithParam<Kind> {
 protected:
  void use(const ScriptedRedis& server) {
    const auto made = *backend(server.url());
    store_ = GetParam() == Kind::blocking ? made->open() : made->open_on(reactor_);
  }
  std::string answer(Operation op) {
    Asked asked(*store_, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }

  TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_;
};
INSTANTIATE_TEST_SUITE_P(OfStores,
                         UnaskedReplies,
                         ::testing::Values(Kind::blocking, Kind::on_a_loop),
                         [](const auto& kind) {
                           return kind.param == Kind::blocking ? "Blocking" : "OnALoop";
                         });

TEST_P(UnaskedReplies, ThatCameWithTheLastAnswerEndTheConnection) {
  ScriptedRedis server({":1\r\n:1\r\n", busy});
  use(server);
  EXPECT_EQ(answer(operation(OperationKind::release, "a", "il1:a")), "1");
  EXPECT_EQ(answer(claim("b", "il1:a")), "[0, \"il1:b\", 30000, 1]");
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedReplies, ThatWouldTakeMoreMemoryThanAnyAnswerAreRefusedAtOnce) {
  ScriptedRedis server({"*2147483647\r\n", ":1\r\n"});
  use(server);
  EXPECT_THAT(answer(get()), AllOf(StartsWith("indeterminate: no answer from redis://"),
                                   HasSubstr("a list of more than 1048576 elements")));
  EXPECT_EQ(answer(get()), "1");
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedReplies, OfWhichHalfHasComeEndTheConnection) {
  ScriptedRedis server({":1\r\n$5\r\nhel", "$2\r\nlo\r\n"});
  use(server);
  EXPECT_EQ(answer(operation(OperationKind::release, "a", "il1:a")), "1");
  EXPECT_EQ(answer(get()), "\"lo\"");
  EXPECT_EQ(server.connections(), 2);
}

// The loop has no turn between their arrival and the next request.
TEST_P(UnaskedReplies, ThatCameLaterEndTheConnection) {
  ScriptedRedis server({":1\r\n", busy});
  use(server);
  EXPECT_EQ(answer(operation(OperationKind::release, "a", "il1:a")), "1");
  server.say(":1\r\n");
  EXPECT_EQ(answer(claim("b", "il1:a")), "[0, \"il1:b\", 30000, 1]");
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedReplies, ToTheGreetingMakeTheServerOfNoUse) {
  ScriptedRedis server({"$1\r\nv\r\n"}, "+OK\r\n+OK\r\n");
  use(server);
  EXPECT_THAT(answer(get()), AllOf(StartsWith("unavailable: cannot connect to redis://127.0.0.1:"),
                                   HasSubstr("an answer that nobody asked for")));
}

const std::string no_script = "-NOSCRIPT No matching script.\r\n";

// As the answer to the text of the script, which is sent next.
TEST_P(UnaskedReplies, ThatSayTwiceThatAScriptIsUnknownRefuseNothing) {
  ScriptedRedis server({no_script, no_script, ":1\r\n"});
  use(server);
  EXPECT_THAT(answer(operation(OperationKind::release, "a", "il1:a")),
              AllOf(StartsWith("indeterminate: "), HasSubstr("an answer that nobody asked for")));
  EXPECT_EQ(answer(operation(OperationKind::release, "a", "il1:a")), "1");
  EXPECT_EQ(server.connections(), 2);
}

// --- fencing tokens ------------------------------------------------------------------------------

TEST_P(UnaskedReplies, ATokenThatIsNotGreaterThanTheLastIsUnknownAndEndsTheConnection) {
  for (const std::int64_t token : {today, today - 1}) {
    ScriptedRedis server({grant(today), grant(token), grant(today + 1)});
    use(server);
    EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
    EXPECT_THAT(answer(claim("a", "il1:b")),
                AllOf(StartsWith("indeterminate: no answer from redis://127.0.0.1:"),
                      HasSubstr("is not greater than the last")));
    EXPECT_THAT(answer(claim("a", "il1:b")), StartsWith("[1, "));
    EXPECT_EQ(server.connections(), 2);
  }
}

TEST_P(UnaskedReplies, ATokenOfTheSameGrantIsBelieved) {
  ScriptedRedis server({grant(today)});
  use(server);
  for (int times = 0; times < 3; ++times) {
    EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(UnaskedReplies, ATokenOfAFairLockIsLookedAtToo) {
  const std::string others_queue = "*2\r\n:2\r\n:" + std::to_string(today + 1) + "\r\n";
  const std::string last_of_block = "*2\r\n:1\r\n:" + std::to_string(today + 48) + "\r\n";
  ScriptedRedis server({grant(today), others_queue, last_of_block, others_queue, busy});
  use(server);
  EXPECT_EQ(answer(fair_claim("a", "il1:a/fair")), std::to_string(today));
  EXPECT_THAT(answer(fair_claim("a", "il1:b/fair")), StartsWith("[2, "));
  EXPECT_THAT(answer(fair_claim("a", "il1:b/fair")), StartsWith("[1, "));
  EXPECT_THAT(answer(fair_claim("a", "il1:c/fair")), StartsWith("indeterminate: "));
  EXPECT_THAT(answer(fair_claim("a", "il1:c/fair")), StartsWith("[0, "));
  EXPECT_EQ(server.connections(), 2);
}

// As the answer to another command would be, for a lock that was never granted here.
TEST_P(UnaskedReplies, ANumberThatIsNoTokenIsNotBelievedOfANewLockEither) {
  ScriptedRedis server({grant(today), grant(1), busy});
  use(server);
  EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("b", "il1:a")), StartsWith("indeterminate: "));
  EXPECT_THAT(answer(claim("b", "il1:a")), StartsWith("[0, "));
}

// The store was restored from a copy and its clock was set back: it says the same again.
TEST_P(UnaskedReplies, ASmallerTokenThatIsConfirmedOnANewConnectionIsTheStoresWord) {
  const std::int64_t earlier = today - 10'000'000;
  ScriptedRedis server({grant(today), grant(earlier), grant(earlier), grant(earlier + 1)});
  use(server);
  EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("a", "il1:b")), StartsWith("indeterminate: "));
  EXPECT_THAT(answer(claim("a", "il1:b")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("a", "il1:c")), StartsWith("[1, "));
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedReplies, TokensOfDifferentLocksAreNotCompared) {
  ScriptedRedis server({grant(today), grant(today - 5), grant(today + 1), grant(today - 4)});
  use(server);
  for (const char* lock : {"a", "b", "a", "b"}) {
    EXPECT_THAT(answer(claim(lock, std::string("il1:") + lock + "x")),
                AnyOf(StartsWith("[1, "), StartsWith("indeterminate")));
  }
  EXPECT_EQ(server.connections(), 1);
}

// --- a blocking store ----------------------------------------------------------------------------

class UnaskedRepliesToThreads : public UnaskedReplies {};
INSTANTIATE_TEST_SUITE_P(OfStores,
                         UnaskedRepliesToThreads,
                         ::testing::Values(Kind::blocking),
                         [](const auto&) { return "Blocking"; });

// It would be greater than the last of that lock, for both are times of one clock.
TEST_P(UnaskedRepliesToThreads, AGrantThatComesTwiceGrantsNoOtherLock) {
  ScriptedRedis server({grant(today), grant(today + 7), grant(today + 7), busy});
  use(server);
  EXPECT_THAT(answer(claim("b", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("b", "il1:b")), AllOf(StartsWith("indeterminate: "),
                                                 HasSubstr("with which another lock was granted")));
  EXPECT_THAT(answer(claim("b", "il1:b")), StartsWith("[0, "));
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedRepliesToThreads, AGrantThatComesTwiceGrantsNoFairLock) {
  const std::string others_queue = "*2\r\n:2\r\n:" + std::to_string(today) + "\r\n";
  for (const std::string& granted : {grant(today), others_queue}) {
    ScriptedRedis server({granted, granted, busy});
    use(server);
    static_cast<void>(answer(fair_claim("a", "il1:a/fair")));
    EXPECT_THAT(answer(fair_claim("b", "il1:b/fair")), StartsWith("indeterminate: "));
    EXPECT_THAT(answer(fair_claim("b", "il1:b/fair")), StartsWith("[0, "));
    EXPECT_EQ(server.connections(), 2);
  }
}

// Two clients' locks, granted in the same microsecond.
TEST_P(UnaskedRepliesToThreads, ATokenOfAnotherLockThatIsConfirmedOnANewConnectionIsTheStoresWord) {
  ScriptedRedis server({grant(today)});
  use(server);
  EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("b", "il1:b")), StartsWith("indeterminate: "));
  EXPECT_THAT(answer(claim("b", "il1:b")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("b", "il1:b")), StartsWith("[1, "));
  EXPECT_EQ(server.connections(), 2);
}

// --- subscriptions -------------------------------------------------------------------------------

std::string confirmed(const std::string& channel) {
  return "*3\r\n$9\r\nsubscribe\r\n$1\r\n" + channel + "\r\n:1\r\n";
}
Operation subscribe(std::string channel) {
  return operation(OperationKind::subscribe, std::move(channel));
}

TEST_P(UnaskedReplies, ThatConfirmASubscriptionTwiceConfirmNoOther) {
  // On the second connection all are subscribed anew.
  ScriptedRedis server({confirmed("a") + confirmed("a"), confirmed("a"), confirmed("b")});
  use(server);
  EXPECT_EQ(answer(subscribe("a")), "1");
  EXPECT_EQ(answer(subscribe("b")), "2");
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(server.commands().size(), 3u);
}

// --- on a loop -----------------------------------------------------------------------------------

class UnaskedRepliesOnALoop : public UnaskedReplies {};
INSTANTIATE_TEST_SUITE_P(OfStores,
                         UnaskedRepliesOnALoop,
                         ::testing::Values(Kind::on_a_loop),
                         [](const auto&) { return "OnALoop"; });

TEST_P(UnaskedRepliesOnALoop, AreNotTheAnswersToCommandsThatHaveNotLeft) {
  ScriptedRedis server({"+1\r\n+1\r\n", "+2\r\n", "+3\r\n"});
  use(server);
  Asked first(*store_, get());
  // Submitted by what the first answer sets off, while the second lies behind it.
  std::string then;
  auto next = [](KeyValueStore* store, std::string* said) -> Task<void> {
    Operation one = get();
    static_cast<void>(co_await test::reply_to(store, std::move(one)));
    Operation two = get();
    *said = shown(co_await test::reply_to(store, std::move(two)));
  }(store_.get(), &then);
  ASSERT_TRUE(reactor_.run_until([&] { return first.done(); }));
  EXPECT_EQ(shown(first.take()), "\"1\"");
  next.start();
  ASSERT_TRUE(reactor_.run_until([&] { return next.done(); }));
  EXPECT_EQ(then, "\"3\"");
}

TEST_P(UnaskedRepliesOnALoop, ThatConfirmASubscriptionTwiceConfirmNotTheNextOne) {
  ScriptedRedis server({confirmed("a") + confirmed("a"), "", confirmed("a"), confirmed("b")});
  use(server);
  Asked a(*store_, subscribe("a"));
  Asked b(*store_, subscribe("b"));
  ASSERT_TRUE(reactor_.run_until([&] { return a.done() && b.done(); }));
  EXPECT_EQ(shown(a.take()), "1");
  EXPECT_EQ(shown(b.take()), "2");
  EXPECT_EQ(server.connections(), 2);
}

// The first copy hides the second grant, which nobody has seen when it grants the third lock.
TEST_P(UnaskedRepliesOnALoop, OneAfterTheOtherDoNotMakeAGrantThatOfTheNextClaim) {
  ScriptedRedis server({busy + busy, grant(today), busy});
  use(server);
  Asked of_a(*store_, claim("a", "il1:a"));
  Asked fair_a(*store_, fair_claim("a", "il1:x/fair"));
  Asked fair_b(*store_, fair_claim("b", "il1:y/fair"));
  ASSERT_TRUE(reactor_.run_until([&] { return of_a.done() && fair_a.done() && fair_b.done(); }));
  for (Asked* each : {&of_a, &fair_a, &fair_b}) {
    EXPECT_THAT(shown(each->take()), StartsWith("indeterminate: "));
  }
  EXPECT_THAT(answer(claim("b", "il1:y")), StartsWith("[0, "));
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedRepliesOnALoop, ThatAScriptIsUnknownConfirmsNoClaim) {
  ScriptedRedis server({no_script + no_script, busy});
  use(server);
  EXPECT_THAT(answer(claim("b", "il1:a")), StartsWith("indeterminate: "));
  EXPECT_THAT(answer(claim("b", "il1:a")), StartsWith("[0, "));
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedRepliesOnALoop, ThatCameTwiceConfirmNoClaim) {
  ScriptedRedis server({grant(today), grant(today + 1) + grant(today + 1), busy});
  use(server);
  EXPECT_THAT(answer(claim("a", "il1:a")), StartsWith("[1, "));
  EXPECT_THAT(answer(claim("b", "il1:b")),
              AllOf(StartsWith("indeterminate: "), HasSubstr("an answer that nobody asked for")));
  EXPECT_THAT(answer(claim("b", "il1:b")), StartsWith("[0, "));
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(UnaskedRepliesOnALoop, AJoinedTokenThatIsNotGreaterIsUnknownAndTheOthersAreBelieved) {
  const std::string two = "*2\r\n" + grant(today + 1) + grant(today);
  ScriptedRedis server({grant(today), two, grant(today + 2)});
  use(server);
  EXPECT_THAT(answer(claim("b", "il1:a")), StartsWith("[1, "));
  Asked of_a(*store_, claim("a", "il1:c"));
  Asked of_b(*store_, claim("b", "il1:d"));
  ASSERT_TRUE(reactor_.run_until([&] { return of_a.done() && of_b.done(); }));
  EXPECT_THAT(shown(of_a.take()), StartsWith("[1, "));
  EXPECT_THAT(shown(of_b.take()), StartsWith("indeterminate: "));
  EXPECT_THAT(answer(claim("b", "il1:d")), StartsWith("[1, "));
  EXPECT_EQ(server.connections(), 2);
}

}  // namespace
}  // namespace interlock::redis
