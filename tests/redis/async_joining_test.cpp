// Claims, renewals and releases that leave together share a command, and none of them notices.
#include <gmock/gmock.h>

#include <deque>

#include "async_fixture.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "support/scripted_redis.hpp"

namespace interlock::redis {
namespace {

Operation queue_script(const Script& which, const Key& lock, std::vector<std::string> arguments) {
  Operation op(OperationKind::run);
  op.script = &which;
  op.keys = {lock, fencing_key(lock), queue_key(lock)};
  op.arguments = std::move(arguments);
  return op;
}
Operation fair_claim(const std::string& lock, const std::string& owner = "il1:a/fair") {
  return queue_script(queue_claim_script(), Key(lock), {owner, "60000", "3660000", "48", "500"});
}
Operation fair_place(const std::string& lock, const std::string& owner) {
  return queue_script(queue_claim_script(), Key(lock),
                      {owner, "60000", "3660000", "48", "500", "-", "5000", "10000", "0"});
}
Operation fair_release(const std::string& lock, const std::string& owner = "il1:a/fair") {
  return queue_script(queue_release_script(), Key(lock),
                      {owner, release_channel(Key(lock)).text(), "48", "500", "3600500"});
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

// The reply to each of them says so, and not the answer to the command. What is asked after that
// goes to another server: it waited for ever when another claim had said so before.
TEST(RedisAsyncJoining, AReplicaIsLeftAfterItsRepliesToLocksThatWereClaimedTogether) {
  const std::string replica = "-READONLY You can't write against a read only replica.\r\n";
  const std::string of_both = "*2\r\n" + replica + replica;
  for (const bool told_before : {true, false}) {
    std::vector<std::string> answers{of_both, ":7\r\n"};
    if (told_before) answers.insert(answers.begin(), replica);
    const test::ScriptedRedis server(answers);
    test::TestReactor reactor;
    const auto store = (*backend(server.url()))->open_on(reactor);
    std::deque<test::Asked> asked;
    if (told_before) asked.emplace_back(*store, claim("plain"));
    asked.emplace_back(*store, fair_claim("a"));
    asked.emplace_back(*store, fair_claim("b"));
    ASSERT_TRUE(reactor.run_until([&] { return asked.back().done() && asked.front().done(); }));
    test::Asked next(*store, test::operation(OperationKind::get, "k"));
    ASSERT_TRUE(reactor.run_until([&] { return next.done(); }));
    EXPECT_EQ(test::shown(next.take()), "7");
    EXPECT_EQ(server.connections(), 2);
    for (test::Asked& each : asked) {
      EXPECT_THAT(test::shown(each.take()), HasSubstr("READONLY"));
    }
  }
}

TEST_F(RedisAsync, FairLocksThatAreClaimedTogetherAreClaimedInOneCommand) {
  std::vector<Operation> claims, releases;
  for (int number = 0; number < 100; ++number) {
    claims.push_back(fair_claim("k" + std::to_string(number)));
    releases.push_back(fair_release("k" + std::to_string(number)));
  }
  answers({fair_claim("warm"), fair_release("warm")});
  calls("evalsha");
  EXPECT_THAT(answers(claims), Each(StartsWith("1")));
  EXPECT_EQ(calls("evalsha"), 4) << "32 locks to a command";
  EXPECT_EQ(plain_.command({"EXISTS", "k0", "k31", "k32", "k99"}), "4");
  EXPECT_THAT(answers(releases), Each("1"));
  EXPECT_EQ(calls("evalsha"), 4);
  EXPECT_EQ(plain_.command({"EXISTS", "k0", "k31", "k32", "k99"}), "0");
  // A lock that was never taken costs no more commands than one that was.
  calls("get");
  answers(claims);
  EXPECT_EQ(calls("get"), 0);
}

TEST_F(RedisAsync, OfFairLocksThatAreAskedTogetherEachGetsItsOwnAnswer) {
  plain_.command({"SET", "a", "il1:1", "PX", "60000"});
  plain_.command({"RPUSH", "c", "x"});
  plain_.command({"RPUSH", "{e}:interlock:fence", "x"});
  plain_.command({"SET", "{f}:interlock:queue", "x"});
  answers({fair_claim("g"), fair_place("g", "il1:b/fair")});
  EXPECT_THAT(
      answers({fair_claim("a"), fair_claim("b"), fair_claim("c"), fair_claim("d"), fair_claim("e"),
               fair_claim("f"), fair_claim("g"), fair_claim("h")}),
      ElementsAre(StartsWith("[0, \"il1:1\", "), StartsWith("1"), StartsWith("rejected: WRONGTYPE"),
                  StartsWith("1"), StartsWith("rejected: WRONGTYPE"),
                  StartsWith("rejected: WRONGTYPE"), StartsWith("[1, "), StartsWith("1")));
  EXPECT_EQ(plain_.command({"EXISTS", "e", "f"}), "0");
  EXPECT_THAT(answers({fair_release("a"), fair_release("b"), fair_release("c"), fair_release("d"),
                       fair_release("e"), fair_release("g")}),
              ElementsAre("-1", "1", StartsWith("rejected: WRONGTYPE"), "1", "0", "1"));
  EXPECT_EQ(plain_.command({"GET", "g"}), "il1:b/fair") << "the first in its queue";
}

TEST_F(RedisAsync, OfLocksThatAreClaimedTogetherTheTokensGrow) {
  const std::string ahead = std::to_string(std::int64_t{9'000'000'000'000'000});
  plain_.command({"SET", "{b}:interlock:fence", ahead});
  EXPECT_THAT(answers({fair_claim("a"), fair_claim("b"), fair_claim("c")}),
              ElementsAre(StartsWith("1"), "9000000000000001", StartsWith("1")));
  EXPECT_EQ(plain_.command({"GET", "{b}:interlock:fence"}), "9000000000000048");
}

// A claim that takes a place is a command of its own, and the order stays.
TEST_F(RedisAsync, AClaimThatTakesAPlaceIsNotJoined) {
  answers({fair_claim("warm"), fair_release("warm")});
  calls("evalsha");
  EXPECT_THAT(answers({fair_claim("a"), fair_claim("b"), fair_place("a", "il1:b/fair"),
                       fair_claim("c"), fair_claim("d")}),
              ElementsAre(StartsWith("1"), StartsWith("1"), StartsWith("[0, \"il1:a/fair\""),
                          StartsWith("1"), StartsWith("1")));
  EXPECT_EQ(calls("evalsha"), 3);
  EXPECT_EQ(plain_.command({"LLEN", "{a}:interlock:queue"}), "1");
}

TEST_F(RedisAsync, AFairReleaseThatMayNotBeAnnouncedChangesNothing) {
  plain_.command({"ACL", "SETUSER", "mute", "on", ">secret", "+@all", "resetchannels",
                  "&{a}:interlock:released", "~*"});
  Options options = *parse_url(server_->url());
  options.user = "mute";
  options.password = "secret";
  store_ = backend(options)->open_on(reactor_);
  PlainRedis listener(*server_);
  listener.command({"SUBSCRIBE", "{b}:interlock:released"});
  EXPECT_THAT(answers({fair_claim("a"), fair_claim("b")}), Each(StartsWith("1")));
  EXPECT_THAT(answers({fair_release("a"), fair_release("b")}),
              ElementsAre("1", StartsWith("rejected: ")));
  EXPECT_EQ(plain_.command({"GET", "b"}), "il1:a/fair");
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

// Redis has a right of its own to ask for patterns, which the README's user has not: every release
// of many locks failed as a whole, and then each lock was released by a command of its own.
TEST_F(RedisAsync, AUserWhoMayNotAskForPatternsReleasesManyLocksInOneCommandAndAnnouncesEach) {
  plain_.command({"ACL", "SETUSER", "plain", "reset", "on", ">secret", "+@all", "-pubsub",
                  "+pubsub|numsub", "allchannels", "allkeys"});
  Options options = *parse_url(server_->url());
  options.user = "plain";
  options.password = "secret";
  store_ = backend(options)->open_on(reactor_);
  answers({claim("warm"), release("warm"), fair_claim("warm"), fair_release("warm")});
  const auto expect_one_command = [&](const std::vector<Operation>& releases) {
    PlainRedis listener(*server_);
    listener.command({"PSUBSCRIBE", "{b}:interlock:released"});
    calls("evalsha");
    EXPECT_THAT(answers(releases), Each("1"));
    EXPECT_EQ(calls("evalsha"), 1);
    EXPECT_EQ(listener.command({"PING"}),
              "[pmessage, {b}:interlock:released, {b}:interlock:released, ]");
  };
  answers({claim("a"), claim("b")});
  expect_one_command({release("a"), release("b")});
  answers({fair_claim("a"), fair_claim("b")});
  expect_one_command({fair_release("a"), fair_release("b")});
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

TEST_F(RedisAsync, OfJoinedLocksTheLastByteOfTheirCommandDecides) {
  RedisServer server;
  use(server, std::chrono::seconds{1});
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
  // The PING that follows the claims is shorter.
  send_limit = all - 64;
  const std::vector<std::string> said = answers(claims);
  for (std::size_t index = 0; index < said.size(); ++index) {
    EXPECT_THAT(said[index],
                StartsWith(index < 32 ? "indeterminate: no answer" : "unavailable: cannot send"))
        << index;
  }
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

}  // namespace
}  // namespace interlock::redis
