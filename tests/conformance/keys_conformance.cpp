// The plain operations. Source for every answer: the Redis manual, and redis-server 7.0 itself.
#include <limits>

#include "interlock/store/script.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::Optional;

const Key key("key");
constexpr milliseconds long_ttl = std::chrono::hours{1};
constexpr milliseconds short_ttl{30};

// Makes a key that is no plain string, whatever the store.
const Script& make_list() {
  static const Script script(
      "make_list", "return redis.call('RPUSH', KEYS[1], 'a')",
      [](Keyspace& keyspace, const std::vector<Key>& keys, const std::vector<std::string>&) {
        Entry entry("a");
        entry.type = Entry::Type::other;
        keyspace.put(keys[0], std::move(entry));
        return Reply(Value(std::int64_t{1}));
      });
  return script;
}

MATCHER(IsAbsent, "") {
  return arg.state == Remaining::Expiry::absent;
}
MATCHER(NeverExpires, "") {
  return arg.state == Remaining::Expiry::no_expiry;
}
// Within a minute below `ttl`: however slow the machine, and never above.
MATCHER_P(ExpiresIn, ttl, "") {
  *result_listener << arg.time.count() << " ms";
  return arg.state == Remaining::Expiry::expires && arg.time <= ttl &&
         arg.time > ttl - std::chrono::minutes{1};
}

TEST_P(StoreConformance, AMissingKeyHasNothing) {
  EXPECT_THAT(ask(store().get(key)), Holds(std::nullopt));
  EXPECT_THAT(ask(store().erase(key)), Holds(false));
  EXPECT_THAT(ask(store().expire(key, long_ttl)), Holds(false));
  EXPECT_THAT(ask(store().expire(key, milliseconds(0))), Holds(false));
  EXPECT_THAT(ask(store().remaining(key)), Holds(IsAbsent()));
}

TEST_P(StoreConformance, WhatIsSetIsReadByEveryConnection) {
  EXPECT_THAT(ask(store().set(key, "one")), Holds(testing::_));
  EXPECT_THAT(ask(other_store().get(key)), Holds(Optional(Eq("one"))));
  EXPECT_THAT(ask(other_store().set(key, "two")), Holds(testing::_));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("two"))));
}

TEST_P(StoreConformance, ValuesAndKeysAreAnyBytes) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  for (const std::string& name :
       {bytes, std::string("a\0b", 3), std::string("a"), std::string(512, 'k'), std::string()}) {
    ASSERT_THAT(ask(store().set(Key(name), bytes + name)), Holds(testing::_));
  }
  EXPECT_THAT(ask(other_store().get(Key(bytes))), Holds(Optional(Eq(bytes + bytes))));
  EXPECT_THAT(ask(other_store().get(Key(std::string("a\0b", 3)))),
              Holds(Optional(Eq(bytes + std::string("a\0b", 3)))));
  EXPECT_THAT(ask(other_store().get(Key("a"))), Holds(Optional(Eq(bytes + "a"))));
  EXPECT_THAT(ask(other_store().get(Key(std::string(512, 'k')))),
              Holds(Optional(Eq(bytes + std::string(512, 'k')))));
  EXPECT_THAT(ask(other_store().get(Key(""))), Holds(Optional(Eq(bytes))));
}

TEST_P(StoreConformance, AnEmptyValueIsNotAMissingOne) {
  EXPECT_THAT(ask(store().set(key, "")), Holds(testing::_));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq(""))));
  EXPECT_THAT(ask(store().set_if_absent(key, "v")), Holds(false));
  EXPECT_THAT(ask(store().exchange(key, "")), Holds(Optional(Eq(""))));
  EXPECT_THAT(ask(store().erase(key)), Holds(true));
}

TEST_P(StoreConformance, SetReplacesTheExpiryAsWell) {
  ASSERT_THAT(ask(store().set(key, "v", long_ttl)), Holds(testing::_));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(long_ttl)));
  ASSERT_THAT(ask(store().set(key, "v", 2 * long_ttl)), Holds(testing::_));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(2 * long_ttl)));
  ASSERT_THAT(ask(store().set(key, "v")), Holds(testing::_));
  EXPECT_THAT(ask(store().remaining(key)), Holds(NeverExpires()));
}

TEST_P(StoreConformance, AKeyIsGoneAfterItsTtlForEveryOperation) {
  for (const char* name : {"get", "nx", "erase", "expire", "remaining", "increment", "exchange"}) {
    ASSERT_THAT(ask(store().set(Key(name), "7", short_ttl)), Holds(testing::_));
  }
  outlast(short_ttl);
  EXPECT_THAT(ask(store().get(Key("get"))), Holds(std::nullopt));
  EXPECT_THAT(ask(store().set_if_absent(Key("nx"), "v")), Holds(true));
  EXPECT_THAT(ask(store().erase(Key("erase"))), Holds(false));
  EXPECT_THAT(ask(store().expire(Key("expire"), long_ttl)), Holds(false));
  EXPECT_THAT(ask(store().remaining(Key("remaining"))), Holds(IsAbsent()));
  EXPECT_THAT(ask(store().increment(Key("increment"))), Holds(1));
  EXPECT_THAT(ask(store().remaining(Key("increment"))), Holds(NeverExpires()));
  EXPECT_THAT(ask(store().exchange(Key("exchange"), "v")), Holds(std::nullopt));
}

TEST_P(StoreConformance, SetRefusesATtlThatIsNotPositiveOrNotATime) {
  ASSERT_THAT(ask(store().set(key, "kept")), Holds(testing::_));
  for (const milliseconds ttl : {milliseconds(0), milliseconds(-1), milliseconds::max()}) {
    EXPECT_THAT(ask(store().set(key, "v", ttl)), FailsWith(Errc::rejected)) << ttl.count();
    EXPECT_THAT(ask(store().set_if_absent(key, "v", ttl)), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(store().set_if_absent(Key("new"), "v", ttl)), FailsWith(Errc::rejected));
  }
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("kept"))));
  EXPECT_THAT(ask(store().get(Key("new"))), Holds(std::nullopt));
}

TEST_P(StoreConformance, SetIfAbsentStoresOnce) {
  EXPECT_THAT(ask(store().set_if_absent(key, "first", long_ttl)), Holds(true));
  EXPECT_THAT(ask(other_store().set_if_absent(key, "second", 2 * long_ttl)), Holds(false));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("first"))));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(long_ttl)));
  EXPECT_THAT(ask(store().set_if_absent(Key("for ever"), "v")), Holds(true));
  EXPECT_THAT(ask(store().remaining(Key("for ever"))), Holds(NeverExpires()));
}

TEST_P(StoreConformance, ExchangeGivesTheOldValueAndClearsTheTtl) {
  EXPECT_THAT(ask(store().exchange(key, "one")), Holds(std::nullopt));
  ASSERT_THAT(ask(store().expire(key, long_ttl)), Holds(true));
  EXPECT_THAT(ask(store().exchange(key, "two")), Holds(Optional(Eq("one"))));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("two"))));
  EXPECT_THAT(ask(store().remaining(key)), Holds(NeverExpires()));
}

TEST_P(StoreConformance, ExpireSetsTheTtlAndKeepsTheValue) {
  ASSERT_THAT(ask(store().set(key, "v")), Holds(testing::_));
  EXPECT_THAT(ask(store().expire(key, long_ttl)), Holds(true));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(long_ttl)));
  EXPECT_THAT(ask(store().expire(key, 2 * long_ttl)), Holds(true));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(2 * long_ttl)));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("v"))));
}

TEST_P(StoreConformance, ExpireErasesWhenTheTtlIsNotPositive) {
  for (const milliseconds ttl : {milliseconds(0), milliseconds(-1), milliseconds::min() / 2}) {
    ASSERT_THAT(ask(store().set(key, "v")), Holds(testing::_));
    EXPECT_THAT(ask(store().expire(key, ttl)), Holds(true)) << ttl.count();
    EXPECT_THAT(ask(store().get(key)), Holds(std::nullopt)) << ttl.count();
  }
}

TEST_P(StoreConformance, ExpireRefusesATtlBeyondAllTime) {
  ASSERT_THAT(ask(store().set(key, "v")), Holds(testing::_));
  EXPECT_THAT(ask(store().expire(key, milliseconds::max())), FailsWith(Errc::rejected));
  EXPECT_THAT(ask(store().expire(Key("none"), milliseconds::max())), FailsWith(Errc::rejected));
  EXPECT_THAT(ask(store().remaining(key)), Holds(NeverExpires()));
}

TEST_P(StoreConformance, EraseTellsWhetherThereWasOne) {
  ASSERT_THAT(ask(store().set(key, "v", long_ttl)), Holds(testing::_));
  EXPECT_THAT(ask(other_store().erase(key)), Holds(true));
  EXPECT_THAT(ask(store().erase(key)), Holds(false));
  EXPECT_THAT(ask(store().remaining(key)), Holds(IsAbsent()));
}

TEST_P(StoreConformance, IncrementCountsFromNothingAndKeepsTheTtl) {
  EXPECT_THAT(ask(store().increment(key)), Holds(1));
  ASSERT_THAT(ask(store().expire(key, long_ttl)), Holds(true));
  EXPECT_THAT(ask(other_store().increment(key)), Holds(2));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("2"))));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(long_ttl)));
  ASSERT_THAT(ask(store().set(key, "-1")), Holds(testing::_));
  EXPECT_THAT(ask(store().increment(key)), Holds(0));
  ASSERT_THAT(ask(store().set(key, std::to_string(std::numeric_limits<std::int64_t>::min()))),
              Holds(testing::_));
  EXPECT_THAT(ask(store().increment(key)), Holds(std::numeric_limits<std::int64_t>::min() + 1));
}

TEST_P(StoreConformance, IncrementRefusesWhatIsNotANumberToTheLetter) {
  const std::string not_numbers[] = {"",
                                     "text",
                                     "007",
                                     "+1",
                                     "-0",
                                     " 1",
                                     "1 ",
                                     "1.0",
                                     "0x1",
                                     std::string("1\0", 2),
                                     "--1",
                                     "9223372036854775808",
                                     "-9223372036854775809"};
  for (const std::string& text : not_numbers) {
    ASSERT_THAT(ask(store().set(key, text)), Holds(testing::_));
    EXPECT_THAT(ask(store().increment(key)), FailsWith(Errc::rejected)) << '"' << text << '"';
    EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq(text))));
  }
}

TEST_P(StoreConformance, IncrementRefusesToOverflow) {
  const std::string largest = std::to_string(std::numeric_limits<std::int64_t>::max());
  ASSERT_THAT(ask(store().set(key, largest)), Holds(testing::_));
  EXPECT_THAT(ask(store().increment(key)), FailsWith(Errc::rejected));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq(largest))));
}

TEST_P(StoreConformance, AKeyOfAnotherTypeIsRefusedByWhatReadsIt) {
  ASSERT_THAT(ask(store().run(make_list(), {key}, {})), Holds(Value(std::int64_t{1})));
  for (KeyValueStore* at : {&store(), &other_store()}) {
    EXPECT_THAT(ask(at->get(key)), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(at->exchange(key, "v")), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(at->increment(key)), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(at->claim(key, OwnerToken("il1:a"), Ttl(long_ttl))), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(at->renew(key, OwnerToken("il1:a"), Ttl(long_ttl))), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(at->release(key, OwnerToken("il1:a"))), FailsWith(Errc::rejected));
    EXPECT_THAT(ask(at->set_if_absent(key, "v")), Holds(false));
    EXPECT_THAT(ask(at->remaining(key)), Holds(NeverExpires()));
  }
  const auto refused = ask(store().get(key));
  EXPECT_THAT(refused.error().detail(), HasSubstr("WRONGTYPE"));
}

TEST_P(StoreConformance, AKeyOfAnotherTypeIsReplacedExpiredAndErasedAsAnyOther) {
  ASSERT_THAT(ask(store().run(make_list(), {key}, {})), Holds(testing::_));
  EXPECT_THAT(ask(store().expire(key, long_ttl)), Holds(true));
  EXPECT_THAT(ask(store().remaining(key)), Holds(ExpiresIn(long_ttl)));
  EXPECT_THAT(ask(store().get(key)), FailsWith(Errc::rejected));
  EXPECT_THAT(ask(store().set(key, "v")), Holds(testing::_));
  EXPECT_THAT(ask(store().get(key)), Holds(Optional(Eq("v"))));
  ASSERT_THAT(ask(store().run(make_list(), {Key("list")}, {})), Holds(testing::_));
  EXPECT_THAT(ask(store().erase(Key("list"))), Holds(true));
}

// Answers with all that a script can answer with, and proves that its arguments arrive as they are.
const Script& answer_everything() {
  static const Script script(
      "answer_everything",
      "redis.call('SET', KEYS[1], ARGV[1]) redis.call('SET', KEYS[2], ARGV[2])\n"
      "return {1, ARGV[1], {-2, redis.call('GET', KEYS[2])}, {}}",
      [](Keyspace& keyspace, const std::vector<Key>& keys,
         const std::vector<std::string>& arguments) {
        keyspace.put(keys[0], Entry(arguments[0]));
        keyspace.put(keys[1], Entry(arguments[1]));
        return Reply(Value(
            std::vector<Value>{Value(std::int64_t{1}), Value(arguments[0]),
                               Value(std::vector<Value>{Value(std::int64_t{-2}),
                                                        Value(keyspace.find(keys[1])->value)}),
                               Value(std::vector<Value>())}));
      });
  return script;
}

const Script& answer_nil() {
  static const Script script("answer_nil", "return false",
                             [](Keyspace&, const std::vector<Key>&,
                                const std::vector<std::string>&) { return Reply(Value()); });
  return script;
}

const Script& refuse() {
  static const Script script(
      "refuse", "return redis.error_reply('ERR not on a Sunday')",
      [](Keyspace&, const std::vector<Key>&, const std::vector<std::string>&) {
        return Reply(Error(Errc::rejected, "ERR not on a Sunday"));
      });
  return script;
}

TEST_P(StoreConformance, AScriptAnswersWithNumbersTextAndLists) {
  const std::string binary("\0\r\n\xff", 4);
  const Value expected(
      std::vector<Value>{Value(std::int64_t{1}), Value(binary),
                         Value(std::vector<Value>{Value(std::int64_t{-2}), Value(std::string())}),
                         Value(std::vector<Value>())});
  // Twice: a store may prepare a script on its first use.
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(ask(store().run(answer_everything(), {Key("{a}1"), Key("{a}2")}, {binary, ""})),
                Holds(expected));
  }
  EXPECT_THAT(ask(other_store().get(Key("{a}1"))), Holds(Optional(Eq(binary))));
}

TEST_P(StoreConformance, AScriptAnswersWithNothingOrARefusal) {
  EXPECT_THAT(ask(store().run(answer_nil(), {}, {})), Holds(Value()));
  const auto refused = ask(store().run(refuse(), {key}, {}));
  ASSERT_THAT(refused, FailsWith(Errc::rejected));
  EXPECT_THAT(refused.error().detail(), HasSubstr("not on a Sunday"));
}

}  // namespace
}  // namespace interlock::testing_support
