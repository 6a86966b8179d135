// apply() keeps Redis' rules, to the edges. Each rule was looked up in, and the odd ones tried on,
// Redis 7.0; tests/redis holds the two together command by command.
#include "interlock/store/keyspace.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace interlock {
namespace {

class TestKeyspace final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel& channel, const std::string& message) override {
    published.emplace_back(channel.text() + "=" + message);
    return 3;
  }
  std::vector<std::string> published;
};

class KeyspaceRules : public testing::Test {
 protected:
  KeyspaceRules() { at(1'000'000); }

  void at(std::int64_t ms, std::int64_t extra_us = 0) {
    keyspace.set_now(StoreTime(milliseconds{ms} + Duration{extra_us}));
  }

  Reply call(OperationKind kind,
             std::string value = {},
             std::optional<std::int64_t> ttl_ms = std::nullopt) {
    Operation operation(kind, key);
    operation.value = std::move(value);
    if (ttl_ms) operation.ttl = milliseconds{*ttl_ms};
    return apply(keyspace, operation);
  }
  Reply get() { return call(OperationKind::get); }
  Reply set(std::string value, std::optional<std::int64_t> ttl_ms = std::nullopt) {
    return call(OperationKind::set, std::move(value), ttl_ms);
  }
  Reply set_if_absent(std::string value, std::optional<std::int64_t> ttl_ms = std::nullopt) {
    return call(OperationKind::set_if_absent, std::move(value), ttl_ms);
  }
  Reply exchange(std::string value) { return call(OperationKind::exchange, std::move(value)); }
  Reply erase() { return call(OperationKind::erase); }
  Reply expire(std::int64_t ttl_ms) { return call(OperationKind::expire, {}, ttl_ms); }
  Reply remaining() { return call(OperationKind::remaining); }
  Reply increment() { return call(OperationKind::increment); }

  void put_list() {
    Entry list("");
    list.type = Entry::Type::other;
    keyspace.put(key, list);
  }

  Key key{"k"};
  TestKeyspace keyspace;
};

Reply nil() {
  return Value();
}
Reply number(std::int64_t value) {
  return Value(value);
}
Reply text(const char* value) {
  return Value(std::string(value));
}
bool refused(const Reply& reply, std::string_view with) {
  return failed_with(reply, Errc::rejected) &&
         reply.error().detail().find(with) != std::string::npos;
}

TEST_F(KeyspaceRules, GetOfAMissingKeyIsNil) {
  EXPECT_EQ(get(), nil());
}

TEST_F(KeyspaceRules, SetReplacesTheValueAndTheExpiry) {
  EXPECT_EQ(set("a", 100), text("OK"));
  EXPECT_EQ(remaining(), number(100));
  EXPECT_EQ(set("b"), text("OK"));
  EXPECT_EQ(get(), text("b"));
  EXPECT_EQ(remaining(), number(-1));
}

TEST_F(KeyspaceRules, AKeyLivesThroughItsLastMillisecondAndNotLonger) {
  static_cast<void>(set("a", 100));
  at(1'000'100);
  EXPECT_EQ(get(), text("a"));
  EXPECT_EQ(remaining(), number(0));
  at(1'000'100, 999);
  EXPECT_EQ(get(), text("a"));
  at(1'000'101);
  EXPECT_EQ(get(), nil());
  EXPECT_EQ(remaining(), number(-2));
}

TEST_F(KeyspaceRules, AnExpiryIsCountedFromTheWholeMillisecond) {
  at(1'000'000, 999);
  static_cast<void>(set("a", 100));
  EXPECT_EQ(remaining(), number(100));
  at(1'000'100, 500);
  EXPECT_EQ(get(), text("a"));
  at(1'000'101);
  EXPECT_EQ(get(), nil());
}

TEST_F(KeyspaceRules, SetWithATtlThatIsNotPositiveIsRefusedAndChangesNothing) {
  static_cast<void>(set("before", 100));
  for (const std::int64_t ttl : {std::int64_t{0}, std::int64_t{-1}}) {
    EXPECT_TRUE(refused(set("a", ttl), "invalid expire time in 'set' command"));
    EXPECT_TRUE(refused(set_if_absent("a", ttl), "invalid expire time"));
  }
  EXPECT_EQ(get(), text("before"));
  EXPECT_EQ(remaining(), number(100));
}

TEST_F(KeyspaceRules, AnExpiryBeyondTheEndOfTimeIsRefusedAndChangesNothing) {
  static_cast<void>(set("before", 100));
  const std::int64_t ever = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(refused(set("a", ever), "invalid expire time in 'set' command"));
  EXPECT_TRUE(refused(set("a", ever - 999'999), "invalid expire time in 'set' command"));
  EXPECT_TRUE(refused(expire(ever), "invalid expire time in 'pexpire' command"));
  EXPECT_EQ(get(), text("before"));
  EXPECT_EQ(remaining(), number(100));
  EXPECT_EQ(set("a", ever - 1'000'000), text("OK"));
  EXPECT_EQ(remaining(), number(ever - 1'000'000));
}

TEST_F(KeyspaceRules, SetIfAbsentStoresOnlyOnceAndKeepsTheFirstExpiry) {
  EXPECT_EQ(set_if_absent("a", 100), number(1));
  EXPECT_EQ(set_if_absent("b", 900), number(0));
  EXPECT_EQ(get(), text("a"));
  EXPECT_EQ(remaining(), number(100));
  at(1'000'101);
  EXPECT_EQ(set_if_absent("b"), number(1));
  EXPECT_EQ(remaining(), number(-1));
}

TEST_F(KeyspaceRules, ExchangeGivesTheValueBeforeAndClearsTheExpiry) {
  EXPECT_EQ(exchange("a"), nil());
  static_cast<void>(expire(100));
  EXPECT_EQ(exchange("b"), text("a"));
  EXPECT_EQ(remaining(), number(-1));
}

TEST_F(KeyspaceRules, ExchangeOfAnExpiredKeyFindsNothing) {
  static_cast<void>(set("a", 100));
  at(1'000'101);
  EXPECT_EQ(exchange("b"), nil());
}

TEST_F(KeyspaceRules, EraseSaysWhetherThereWasAKey) {
  EXPECT_EQ(erase(), number(0));
  static_cast<void>(set("a", 100));
  EXPECT_EQ(erase(), number(1));
  EXPECT_EQ(get(), nil());
  static_cast<void>(set("a", 100));
  at(1'000'101);
  EXPECT_EQ(erase(), number(0));
}

TEST_F(KeyspaceRules, ExpireStartsANewTtl) {
  EXPECT_EQ(expire(100), number(0));
  static_cast<void>(set("a", 100));
  at(1'000'050);
  EXPECT_EQ(expire(100), number(1));
  EXPECT_EQ(remaining(), number(100));
  EXPECT_EQ(get(), text("a"));
}

TEST_F(KeyspaceRules, ExpireInThePastErasesAtOnce) {
  for (const std::int64_t ttl : {std::int64_t{0}, std::int64_t{-5'000'000'000}}) {
    static_cast<void>(set("a"));
    EXPECT_EQ(expire(ttl), number(1));
    EXPECT_EQ(get(), nil());
    EXPECT_TRUE(keyspace.entries().empty());
  }
}

TEST_F(KeyspaceRules, IncrementCountsFromNothingAndKeepsTheExpiry) {
  EXPECT_EQ(increment(), number(1));
  static_cast<void>(expire(100));
  EXPECT_EQ(increment(), number(2));
  EXPECT_EQ(get(), text("2"));
  EXPECT_EQ(remaining(), number(100));
  static_cast<void>(set("-1"));
  EXPECT_EQ(increment(), number(0));
}

TEST_F(KeyspaceRules, IncrementTakesOnlyIntegersAsRedisWritesThem) {
  for (const char* wrong : {"", " 1", "1 ", "+1", "01", "-0", "1.0", "1e3", "0x1", "a", "-",
                            "9223372036854775808", "-9223372036854775809"}) {
    static_cast<void>(set(wrong));
    EXPECT_TRUE(refused(increment(), "not an integer or out of range")) << wrong;
    EXPECT_EQ(get(), text(wrong));
  }
  static_cast<void>(set(std::string("1\0", 2)));
  EXPECT_TRUE(refused(increment(), "not an integer or out of range"));
}

TEST_F(KeyspaceRules, IncrementRefusesToOverflow) {
  static_cast<void>(set("9223372036854775806"));
  EXPECT_EQ(increment(), number(std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(refused(increment(), "overflow"));
  EXPECT_EQ(get(), text("9223372036854775807"));
  static_cast<void>(set("-9223372036854775808"));
  EXPECT_EQ(increment(), number(-9223372036854775807));
}

TEST_F(KeyspaceRules, StringCommandsOnAnotherTypeAreRefusedAndChangeNothing) {
  put_list();
  EXPECT_TRUE(refused(get(), "WRONGTYPE"));
  EXPECT_TRUE(refused(exchange("a"), "WRONGTYPE"));
  EXPECT_TRUE(refused(increment(), "WRONGTYPE"));
  EXPECT_EQ(set_if_absent("a"), number(0));
  EXPECT_EQ(remaining(), number(-1));
  EXPECT_EQ(expire(100), number(1));
  EXPECT_TRUE(refused(get(), "WRONGTYPE"));
  EXPECT_EQ(remaining(), number(100));
}

TEST_F(KeyspaceRules, SetAndEraseDoNotCareWhatTypeAKeyHad) {
  put_list();
  EXPECT_EQ(set("a"), text("OK"));
  EXPECT_EQ(get(), text("a"));
  put_list();
  EXPECT_EQ(erase(), number(1));
  EXPECT_EQ(get(), nil());
}

TEST_F(KeyspaceRules, PublishPassesOnTheMessageAndSaysHowManyHeardIt) {
  EXPECT_EQ(call(OperationKind::publish, "hello"), number(3));
  EXPECT_EQ(keyspace.published, std::vector<std::string>{"k=hello"});
}

TEST_F(KeyspaceRules, OnlyWaitingAndMessagesAreNotImmediate) {
  EXPECT_TRUE(is_immediate(OperationKind::claim));
  EXPECT_TRUE(is_immediate(OperationKind::publish));
  EXPECT_TRUE(is_immediate(OperationKind::run));
  EXPECT_FALSE(is_immediate(OperationKind::subscribe));
  EXPECT_FALSE(is_immediate(OperationKind::await_message));
  EXPECT_FALSE(is_immediate(OperationKind::interrupt));
  EXPECT_FALSE(is_immediate(OperationKind::unsubscribe));
}

TEST_F(KeyspaceRules, TimeBeforeTheEpochIsRoundedDownToo) {
  keyspace.set_now(StoreTime(Duration{-1}));
  static_cast<void>(set("a", 1));
  EXPECT_EQ(remaining(), number(1));
  keyspace.set_now(StoreTime(Duration{999}));
  EXPECT_EQ(get(), text("a"));
  keyspace.set_now(StoreTime(Duration{1000}));
  EXPECT_EQ(get(), nil());
}

}  // namespace
}  // namespace interlock
