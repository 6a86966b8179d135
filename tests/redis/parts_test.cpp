// The parts that no outside behaviour pins down: digests of every length, the pauses between
// attempts to connect, and answers that no server should give.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "back_off.hpp"
#include "command.hpp"
#include "endpoint.hpp"
#include "hash_slot.hpp"
#include "interlock/detail/sha1.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/script.hpp"
#include "redirection.hpp"
#include "seen_tokens.hpp"
#include "support/ask.hpp"
#include "support/child.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

TEST(Sha1, GivesThePublishedDigests) {
  EXPECT_EQ(detail::sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(detail::sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(detail::sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST(Sha1, AgreesWithTheServerAtEveryLengthAroundABlock) {
  const test::RedisServer server;
  test::PlainRedis plain(server);
  std::string text;
  for (int length = 0; length <= 200; ++length) {
    ASSERT_EQ(detail::sha1_hex(text),
              plain.command({"EVAL", "return redis.sha1hex(ARGV[1])", "0", text}))
        << length;
    text.push_back(static_cast<char>(length * 7));
  }
}

// Why a grant of this lock, always with the same fencing token, is not believed.
std::optional<std::string> doubt_of_grant(const Script& script,
                                          const std::string& lock,
                                          SeenTokens& tokens) {
  Operation claim(OperationKind::run);
  claim.script = &script;
  claim.keys = {Key(lock)};
  claim.arguments = {"owner of " + lock};
  const Reply grant(Value(std::vector<Value>{Value(1), Value(7)}));
  return doubt(claim, grant, tokens, SeenTokens::Confirmation::in_turn);
}

TEST(Doubt, IsOfTheGrantsOfEachScriptThatMayGrant) {
  static const Script claim("own_claim", "", nullptr, ScriptReply::may_grant);
  SeenTokens tokens;
  EXPECT_EQ(doubt_of_grant(claim, "one", tokens), std::nullopt);
  EXPECT_NE(doubt_of_grant(claim, "other", tokens), std::nullopt);

  static const Script count("count", "", nullptr);
  EXPECT_EQ(doubt_of_grant(count, "a third", tokens), std::nullopt);
}

TEST(SeenTokens, AChildAsksThemWhateverTheThreadsOfItsParentWereDoing) {
  SeenTokens tokens;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&tokens, &stop, thread] {
      for (std::int64_t token = 1'000'000; !stop; ++token) {
        tokens.judge(std::to_string(thread), "owner", token, SeenTokens::Confirmation::in_turn);
      }
    });
  }
  for (int child = 0; child < 100; ++child) {
    ASSERT_EQ(test::in_child([&] {
                const auto verdict =
                    tokens.judge("own", "owner", 1, SeenTokens::Confirmation::in_turn);
                return verdict == SeenTokens::Judgement::believed ? 0 : 1;
              }),
              0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(BackOff, PausesDoubleUpToASecondAndStayInTheUpperHalf) {
  BackOff back_off;
  const Clock::time_point now{};
  Duration full = BackOff::first;
  for (int failure = 0; failure < 20; ++failure) {
    back_off.failed(Error(Errc::unavailable, "away"), now);
    EXPECT_LE(back_off.length(), full);
    EXPECT_GE(back_off.length(), full / 2);
    const auto why = back_off.pause(now + back_off.length() - Duration{1});
    ASSERT_TRUE(why.has_value());
    EXPECT_EQ(*why, Error(Errc::unavailable, "away"));
    EXPECT_FALSE(back_off.pause(now + back_off.length()).has_value());
    full = std::min(full * 2, BackOff::longest);
  }
  back_off.succeeded();
  EXPECT_FALSE(back_off.pause(now).has_value());
  back_off.failed(Error(Errc::unavailable, "away"), now);
  EXPECT_LE(back_off.length(), BackOff::first);
}

TEST(BackOff, ARefusalIsFollowedByTheLongestPause) {
  BackOff back_off;
  back_off.failed(Error(Errc::rejected, "wrong password"), Clock::time_point{});
  EXPECT_GE(back_off.length(), BackOff::longest / 2);
}

TEST(AnswerReader, RefusesAListThatIsLongerThanAnyAnswerBeforeItMakesRoomForIt) {
  for (const std::string begin : {"", "*2\r\n:1\r\n"}) {
    AnswerReader longest;
    longest.feed(begin + "*1048576\r\n");
    EXPECT_EQ(longest.next(), std::nullopt);
    AnswerReader longer;
    longer.feed(begin + "*1048577\r\n");
    const auto answer = longer.next();
    ASSERT_TRUE(answer);
    ASSERT_FALSE(*answer);
    EXPECT_EQ(test::shown(answer->error()),
              "indeterminate: its answer is a list of more than 1048576 elements, or larger than "
              "the memory that is left");
  }
}

TEST(ServerErrors, OfAClusterSayWhatToDo) {
  for (const char* text : {"MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381"}) {
    EXPECT_EQ(
        test::shown(server_error(text)),
        std::string("rejected: ") + text +
            ": this server is one of a Redis Cluster: write redis+cluster:// to use them all");
  }
  EXPECT_EQ(test::shown(server_error("CROSSSLOT Keys in request don't hash to the same slot")),
            "rejected: CROSSSLOT Keys in request don't hash to the same slot: give all keys of one "
            "script the same hash tag");
}

// Values: Redis cluster specification, and CLUSTER KEYSLOT of a Redis 7.0.15.
TEST(HashSlots, AreThoseOfRedis) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3);
  for (const auto& [key, slot] : std::vector<std::pair<std::string, int>>{{"", 0},
                                                                          {"k", 7629},
                                                                          {"foo", 12182},
                                                                          {"{foo}bar", 12182},
                                                                          {"x{foo}y{bar}", 12182},
                                                                          {"foo{}{bar}", 8363},
                                                                          {"foo{{bar}}zap", 4015},
                                                                          {"\xff\x80", 4727}}) {
    EXPECT_EQ(slot_of(key), slot) << key;
  }
}

TEST(Redirections, NameSlotAndServer) {
  const auto moved = redirection(Answer::error("MOVED 3999 db-7.example.org:6381"), "h");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->kind, RedirectionKind::moved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->host, "db-7.example.org");
  EXPECT_EQ(moved->port, 6381);
  EXPECT_EQ(redirection(Answer::error("ASK 1 ::1:6381"), "h")->host, "::1");
  EXPECT_EQ(redirection(Answer::error("ASK 1 :6381"), "h")->host, "h");
  EXPECT_EQ(redirection(Answer::error("ASK 1 ?:6381"), "h")->host, "h");
  EXPECT_EQ(redirection(Answer::error("ASK 1 ?:6381"), "h")->kind, RedirectionKind::ask);
  for (const char* text :
       {"MOVED", "MOVED 1", "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED 1 h:0", "MOVED 1 h:65536",
        "MOVED 1 h", "MOVED x h:1", "MOVED 1:2", "ERR 1 h:1"}) {
    EXPECT_FALSE(redirection(Answer::error(text), "h")) << text;
  }
  EXPECT_FALSE(redirection(Answer(Value(std::string("MOVED 1 h:1"))), "h")) << "a value";
}

// Redis names the script and the line also where nothing is wrong with the script.
TEST(ServerErrors, OfTheServersStateOrTheKeysDoNotNameALineOfAScript) {
  const std::string at = " script: 104ae65debf45156ded1e8e613705534c8e62c17, on @user_script:14.";
  for (const std::string fact :
       {"WRONGTYPE Operation against a key holding the wrong kind of value",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "READONLY You can't write against a read only replica.",
        "NOREPLICAS Not enough good replicas to write"}) {
    EXPECT_EQ(server_error(fact + at), server_error(fact)) << fact;
  }
  const std::string ours = "ERR invalid expire time in 'set' command" + at;
  EXPECT_EQ(server_error(ours).detail().substr(0, ours.size()), ours);
}

// Redis 6 and 7.0 say the first three, 7.2 and later the last; a script's pcall leaves the end out.
TEST(ServerErrors, OfRightsThatAScriptLacksSayNopermAndNoDigest) {
  const std::string at = " script: 104ae65debf45156ded1e8e613705534c8e62c17, on @user_script:1.";
  for (const std::string fact :
       {"The user executing the script can't run this command or subcommand",
        "The user executing the script can't access at least one of the keys mentioned in the "
        "command arguments",
        "The user executing the script can't publish to the channel mentioned in the command",
        "ACL failure in script: User locker has no permissions to run the 'time' command"}) {
    for (const std::string& text : {"ERR " + fact + at, "ERR " + fact}) {
      EXPECT_EQ(test::shown(server_error(text)),
                "rejected: NOPERM in a script: " + fact +
                    ": let this user run all that locks need (ACL SETUSER; the README has the "
                    "list)");
    }
  }
}

TEST(ServerErrors, OfRightsThatAScriptLacksNameTheCommandOfTheLineThatFailed) {
  const std::string lua =
      "local a = 1\nlocal b = call('GET', x)\nreturn call('SET', x) or call('DEL')";
  const auto named = [&](const std::string& end) {
    const std::string fact = "The user executing the script can't run this command or subcommand";
    const std::string said = server_error("ERR " + fact + end, lua).detail();
    return said.substr(0, said.find(": The user"));
  };
  EXPECT_EQ(named(" script: 104a, on @user_script:2."), "NOPERM in a script, at GET");
  EXPECT_EQ(named(" script: 104a, on @user_script:3."), "NOPERM in a script, at SET or DEL");
  for (const char* const nothing :
       {" script: 104a, on @user_script:1.", " script: 104a", " script: 104a, on @user_script:0.",
        " script: 104a, on @user_script:4.", " script: 104a, on @user_script:x.", ""}) {
    EXPECT_EQ(named(nothing), "NOPERM in a script") << nothing;
  }
  // Redis 6.
  EXPECT_EQ(server_error("ERR Error running script (call to f_104a): @user_script:2: "
                         "@user_script: 2: The user executing the script can't run this command "
                         "or subcommand",
                         lua)
                .detail(),
            "NOPERM in a script, at GET: The user executing the script can't run this command or "
            "subcommand: let this user run all that locks need (ACL SETUSER; the README has the "
            "list)");
}

TEST(ServerErrors, OfWhatKnowsNoScriptsDoNotRepeatTheCommand) {
  EXPECT_EQ(test::shown(server_error("ERR unknown command 'EVALSHA', with args beginning with: "
                                     "'5d3c' '2' 'deploy' 'il1:secret' ")),
            "rejected: ERR unknown command 'EVALSHA': this is no Redis server that keeps locks (a "
            "Sentinel, a proxy): use a server's own address");
}

TEST(ServerErrors, OfAServerThatIsNotReadyAreUnavailable) {
  for (const char* text :
       {"LOADING Redis is loading the dataset in memory", "MASTERDOWN Link with MASTER is down",
        "CLUSTERDOWN Hash slot not served", "TRYAGAIN Multiple keys request during rehashing",
        "NOREPLICAS Not enough good replicas to write"}) {
    EXPECT_EQ(test::shown(server_error(text)),
              std::string("unavailable: the server is not ready: ") + text + ": try again later");
  }
  EXPECT_EQ(test::shown(server_error("BUSY Redis is busy running a script.")),
            "unavailable: the server is not ready: BUSY Redis is busy running a script: wait until "
            "that script has ended, or end it (SCRIPT KILL)");
}

TEST(ServerErrors, EndWithOneFullStopAtMost) {
  EXPECT_EQ(test::shown(server_error("NOREPLICAS Not enough good replicas to write.")),
            "unavailable: the server is not ready: NOREPLICAS Not enough good replicas to write: "
            "try again later");
  EXPECT_EQ(test::shown(server_error("READONLY You can't write against a read only replica.")),
            "unavailable: READONLY You can't write against a read only replica: use the primary's "
            "address");
}

TEST(ServerErrors, WithoutATextSaySoAndLongOnesAreCut) {
  EXPECT_EQ(test::shown(server_error("")),
            "rejected: the server gave no reason: see the server's log");
  const std::string endless = "ERR " + std::string(3'000'000, 'x');
  EXPECT_EQ(test::shown(server_error(endless)), "rejected: ERR " + std::string(196, 'x') + "...");
  const std::string letters = "ERR " + std::string(195, 'x') + "\xC3\xA9tat";
  EXPECT_EQ(test::shown(server_error(letters)), "rejected: ERR " + std::string(195, 'x') + "...");
  EXPECT_LT(server_error("OOM " + endless).detail().size(), 300u);
  EXPECT_LT(server_error("LOADING " + endless).detail().size(), 300u);
}

class Greeting : public ::testing::Test {
 protected:
  // The message about this answer to AUTH.
  std::string at_login(std::string text) const {
    const auto error = endpoint_.judge_greeting(0, Answer::error(std::move(text)));
    return error ? error->detail() : "none";
  }

 private:
  const Endpoint endpoint_{*parse_url("redis://u:pw@127.0.0.1:1")};
};

TEST_F(Greeting, BlamesTheLoginOnlyForWhatIsAboutIt) {
  const std::string blame = "correct the user or the password";
  for (const char* text : {"WRONGPASS invalid username-password pair", "ERR invalid password",
                           "ERR AUTH <password> called without any password configured",
                           "ERR Client sent AUTH, but no password is set",
                           "ERR wrong number of arguments for 'auth' command"}) {
    EXPECT_THAT(at_login(text), testing::EndsWith(": " + blame));
  }
  for (const char* text :
       {"MOVED 1 127.0.0.1:2", "MISCONF Redis is configured to save", "OOM command not allowed",
        "NOPERM this user has no permissions", "STRANGE", ""}) {
    EXPECT_THAT(at_login(text),
                testing::AllOf(testing::StartsWith("cannot log in to redis://127.0.0.1:1/0: "),
                               testing::Not(testing::HasSubstr(blame))));
  }
  EXPECT_THAT(at_login(""), testing::HasSubstr("the server gave no reason: see the server's log"));
  EXPECT_LT(at_login(std::string(3'000'000, 'x')).size(), 400u);
  EXPECT_THAT(at_login("NOAUTH Authentication required."),
              testing::Not(testing::HasSubstr("://:password@")));
}

std::vector<std::string> shown_each(const std::vector<Reply>& replies) {
  std::vector<std::string> texts;
  for (const Reply& each : replies) texts.push_back(test::shown(each));
  return texts;
}

Answer list_of(std::vector<Value> values) {
  return Answer(Value(std::move(values)));
}

TEST(JoinedReplies, BelongToTheLocksInTheirOrder) {
  const Value holder(std::vector<Value>{Value(std::int64_t{0}), Value(std::string("il1:b")),
                                        Value(std::int64_t{5}), Value(std::int64_t{-1})});
  const Answer answer = list_of(
      {Value(std::int64_t{17}), holder, Value(std::string("WRONGTYPE Operation against a key"))});
  EXPECT_THAT(shown_each(decode_joined(claim_script(), answer, 3)),
              testing::ElementsAre("[1, 17]", "[0, \"il1:b\", 5, -1]",
                                   "rejected: WRONGTYPE Operation against a key"));
  const Answer numbers = list_of({Value(std::int64_t{1}), Value(std::int64_t{-1})});
  EXPECT_THAT(shown_each(decode_joined(release_script(), numbers, 2)),
              testing::ElementsAre("1", "-1"));
}

TEST(JoinedReplies, AnAnswerForMoreOrFewerLocksIsUnknownForAll) {
  const Answer two = list_of({Value(std::int64_t{1}), Value(std::int64_t{1})});
  const Answer none = list_of({});
  const Answer number{Value(std::int64_t{1})};
  const Answer nothing{Value()};
  for (const Script* script : {&claim_script(), &renew_script(), &release_script()}) {
    for (const Answer* answer : {&two, &none, &number, &nothing}) {
      EXPECT_THAT(shown_each(decode_joined(*script, *answer, 3)),
                  testing::AllOf(testing::SizeIs(3),
                                 testing::Each(testing::StartsWith(
                                     "indeterminate: the server's answer makes no sense: "))));
    }
  }
}

}  // namespace
}  // namespace interlock::redis
