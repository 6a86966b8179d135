// Every operation against a real server, as a store that answers inside submit().
#include <gmock/gmock.h>

#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/script.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using test::ask;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::shown;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RedisBlocking : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override { plain_.command({"FLUSHALL"}); }

  std::string done(Operation op) { return shown(ask(*store_, std::move(op))); }

  static std::unique_ptr<RedisServer> server_;
  PlainRedis plain_{*server_};
  std::shared_ptr<Backend> backend_ = *backend(server_->url());
  std::unique_ptr<KeyValueStore> store_ = backend_->open();
};
std::unique_ptr<RedisServer> RedisBlocking::server_;

TEST_F(RedisBlocking, PlainKeysMeanWhatRedisMeans) {
  EXPECT_EQ(done(operation(OperationKind::get, "k")), "nil");
  EXPECT_EQ(done(operation(OperationKind::set, "k", "v")), "\"OK\"");
  EXPECT_EQ(done(operation(OperationKind::get, "k")), "\"v\"");
  EXPECT_EQ(done(operation(OperationKind::exchange, "k", "w")), "\"v\"");
  EXPECT_EQ(done(operation(OperationKind::set_if_absent, "k", "x")), "0");
  EXPECT_EQ(done(operation(OperationKind::erase, "k")), "1");
  EXPECT_EQ(done(operation(OperationKind::erase, "k")), "0");
  EXPECT_EQ(done(operation(OperationKind::set_if_absent, "k", "x")), "1");
  EXPECT_EQ(done(operation(OperationKind::exchange, "none", "w")), "nil");
  EXPECT_EQ(done(operation(OperationKind::increment, "n")), "1");
  EXPECT_EQ(done(operation(OperationKind::increment, "n")), "2");
  EXPECT_EQ(plain_.command({"GET", "n"}), "2");
}

TEST_F(RedisBlocking, ExpiriesAreSetInMilliseconds) {
  constexpr milliseconds long_ttl{1'000'000};
  EXPECT_EQ(done(operation(OperationKind::remaining, "k")), "-2");
  EXPECT_EQ(done(operation(OperationKind::expire, "k", "", long_ttl)), "0");
  EXPECT_EQ(done(operation(OperationKind::set, "k", "v")), "\"OK\"");
  EXPECT_EQ(done(operation(OperationKind::remaining, "k")), "-1");
  EXPECT_EQ(done(operation(OperationKind::expire, "k", "", long_ttl)), "1");
  EXPECT_GT(std::stol(plain_.command({"PTTL", "k"})), 900'000);
  EXPECT_EQ(done(operation(OperationKind::set, "k", "v", long_ttl * 2)), "\"OK\"");
  EXPECT_GT(std::stol(plain_.command({"PTTL", "k"})), 1'900'000);
  EXPECT_EQ(done(operation(OperationKind::expire, "k", "", milliseconds{0})), "1");
  EXPECT_EQ(done(operation(OperationKind::set_if_absent, "k", "v", long_ttl)), "1");
  EXPECT_GT(std::stol(plain_.command({"PTTL", "k"})), 900'000);
}

TEST_F(RedisBlocking, BytesOfEveryKindComeBackAsTheyWere) {
  const std::string bytes("a\0b\r\n$3\r\n\xff", 10);
  EXPECT_EQ(done(operation(OperationKind::set, bytes, bytes)), "\"OK\"");
  const Reply reply = ask(*store_, operation(OperationKind::get, bytes));
  ASSERT_TRUE(reply && reply->text());
  EXPECT_EQ(*reply->text(), bytes);
}

TEST_F(RedisBlocking, AnAnswerOfManyPiecesIsPutTogether) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(done(operation(OperationKind::set, "k", large)), "\"OK\"");
  const Reply reply = ask(*store_, operation(OperationKind::get, "k"));
  ASSERT_TRUE(reply && reply->text());
  EXPECT_TRUE(*reply->text() == large);
}

TEST_F(RedisBlocking, ClaimRenewReleaseFollowTheOwner) {
  const Key lock("orders/42");
  const Ttl ttl(milliseconds{60'000});
  const auto claim = [&](const char* owner) {
    return run(
        [](KeyValueStore* store, Key key, OwnerToken by, Ttl lasts) -> Task<Result<ClaimReply>> {
          co_return co_await store->claim(std::move(key), std::move(by), lasts);
        }(store_.get(), lock, OwnerToken(owner), ttl));
  };
  const auto first = claim("il1:a");
  ASSERT_TRUE(first && std::holds_alternative<Claimed>(*first));
  const auto again = claim("il1:a");
  ASSERT_TRUE(again && std::holds_alternative<Claimed>(*again));
  EXPECT_EQ(std::get<Claimed>(*first).fencing, std::get<Claimed>(*again).fencing);
  const auto other = claim("il1:b");
  ASSERT_TRUE(other && std::holds_alternative<Busy>(*other));
  EXPECT_EQ(std::get<Busy>(*other).holder, OwnerToken("il1:a"));
  EXPECT_GT(std::get<Busy>(*other).remaining, milliseconds{50'000});

  EXPECT_EQ(done(operation(OperationKind::renew, "orders/42", "il1:b", milliseconds{5})), "-1");
  EXPECT_EQ(done(operation(OperationKind::renew, "orders/42", "il1:a", milliseconds{90'000})), "1");
  EXPECT_GT(std::stol(plain_.command({"PTTL", "orders/42"})), 80'000);
  EXPECT_EQ(done(operation(OperationKind::release, "orders/42", "il1:b")), "-1");
  EXPECT_EQ(done(operation(OperationKind::release, "orders/42", "il1:a")), "1");
  EXPECT_EQ(done(operation(OperationKind::release, "orders/42", "il1:a")), "0");

  const auto next = claim("il1:b");
  ASSERT_TRUE(next && std::holds_alternative<Claimed>(*next));
  EXPECT_GT(std::get<Claimed>(*next).fencing, std::get<Claimed>(*first).fencing);
}

TEST_F(RedisBlocking, ScriptsAreKnownAgainAfterTheServerForgotThem) {
  const Operation claim = operation(OperationKind::claim, "k", "il1:a", milliseconds{60'000});
  ASSERT_TRUE(ask(*store_, claim));
  plain_.command({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(ask(*store_, claim));
  plain_.command({"CONFIG", "RESETSTAT"});
  ASSERT_TRUE(ask(*store_, claim));
  const std::string stats = plain_.command({"INFO", "commandstats"});
  EXPECT_THAT(stats, HasSubstr("cmdstat_evalsha:calls=1,"));
  EXPECT_THAT(stats, ::testing::Not(HasSubstr("cmdstat_eval:")));
}

TEST_F(RedisBlocking, ScriptsOfAnyKindAndAnswerCanBeRun) {
  static const Script script("shapes", "return {1, 'text', {ARGV[1], KEYS[1]}, false, {}}",
                             [](Keyspace&, const auto&, const auto&) -> Reply { return Value(); });
  Operation op(OperationKind::run);
  op.script = &script;
  op.keys = {Key("key")};
  op.arguments = {"argument"};
  EXPECT_EQ(done(op), "[1, \"text\", [\"argument\", \"key\"], nil, []]");
}

TEST_F(RedisBlocking, RefusalsCarryTheServersText) {
  plain_.command({"LPUSH", "list", "x"});
  EXPECT_THAT(done(operation(OperationKind::get, "list")), StartsWith("rejected: WRONGTYPE"));
  EXPECT_THAT(done(operation(OperationKind::claim, "list", "il1:a", milliseconds{1000})),
              StartsWith("rejected: WRONGTYPE"));
  plain_.command({"SET", "word", "x"});
  EXPECT_THAT(done(operation(OperationKind::increment, "word")),
              StartsWith("rejected: ERR value is not an integer"));
  EXPECT_THAT(done(operation(OperationKind::set, "k", "v", milliseconds{0})),
              StartsWith("rejected: ERR invalid expire time"));
  EXPECT_EQ(done(operation(OperationKind::get, "k")), "nil") << "the connection is still good";
}

TEST_F(RedisBlocking, UnixSocketServesAsTcpDoes) {
  const auto by_socket = *backend(server_->unix_url() + "?db=3");
  const auto store = by_socket->open();
  EXPECT_EQ(shown(ask(*store, operation(OperationKind::set, "k", "v"))), "\"OK\"");
  EXPECT_EQ(plain_.command({"GET", "k"}), "(nil)");
  plain_.command({"SELECT", "3"});
  EXPECT_EQ(plain_.command({"GET", "k"}), "v");
}

TEST_F(RedisBlocking, ANameIsResolved) {
  Options options;
  options.host = "localhost";
  options.port = static_cast<std::uint16_t>(server_->port());
  const auto store = backend(options)->open();
  EXPECT_EQ(shown(ask(*store, operation(OperationKind::get, "k"))), "nil");
}

TEST_F(RedisBlocking, HeldLocksAreThoseWhoseKeyExists) {
  for (const char* name : {"b", "a", "gone", "{tag}x"}) {
    ASSERT_TRUE(ask(*store_, operation(OperationKind::claim, name, "il1:a", milliseconds{60'000})));
  }
  ASSERT_TRUE(ask(*store_, operation(OperationKind::release, "gone", "il1:a")));
  plain_.command({"SET", "stranger", "x"});
  const auto held = backend_->held_locks();
  ASSERT_TRUE(held);
  EXPECT_THAT(*held, ::testing::ElementsAre(Key("a"), Key("b"), Key("{tag}x")));
}

TEST_F(RedisBlocking, APlainSetNxAndAClaimExcludeEachOther) {
  const Operation claim = operation(OperationKind::claim, "k", "il1:a", milliseconds{60'000});
  EXPECT_EQ(plain_.command({"SET", "k", "foreign", "NX", "PX", "60000"}), "OK");
  EXPECT_THAT(done(claim), StartsWith("[0, \"foreign\", "));
  EXPECT_EQ(plain_.command({"DEL", "k"}), "1");
  EXPECT_THAT(done(claim), StartsWith("[1, "));
  EXPECT_EQ(plain_.command({"SET", "k", "foreign", "NX", "PX", "60000"}), "(nil)");
  EXPECT_EQ(plain_.command({"GET", "k"}), "il1:a");
}

}  // namespace
}  // namespace interlock::redis
