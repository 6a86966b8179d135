#include "interlock/vocabulary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/error.hpp"
#include "interlock/events.hpp"
#include "interlock/lease.hpp"
#include "interlock/store/value.hpp"

namespace interlock {
namespace {

using testing::HasSubstr;

TEST(LockName, IsAnyTextOf1To512Bytes) {
  EXPECT_EQ(LockName::parse("a").value().text(), "a");
  EXPECT_EQ(LockName::parse(std::string(512, 'x')).value().text().size(), 512u);
  EXPECT_EQ(LockName::parse("orders/42 {eu} \xc3\xa4").value().text(), "orders/42 {eu} \xc3\xa4");
}

TEST(LockName, IsComparedByItsTextAndEmptyOnceItWasMovedFrom) {
  LockName name = LockName::parse("a").value();
  EXPECT_EQ(name, LockName::parse("a").value());
  EXPECT_LT(name, LockName::parse("b").value());
  const LockName moved = std::move(name);
  EXPECT_EQ(moved.text(), "a");
  EXPECT_EQ(name.text(), "");  // NOLINT(bugprone-use-after-move,hicpp-invalid-access-moved)
}

TEST(SharedText, IsThatOfAllItsCopiesHoweverLongItIs) {
  for (const std::size_t size : {0U, 1U, 15U, 16U, 100U}) {
    const std::string text(size, 'x');
    const detail::SharedText original(text);
    const detail::SharedText copy = original;
    EXPECT_EQ(copy, text);
    EXPECT_EQ(copy, original);
    EXPECT_EQ(copy.empty(), size == 0);
    EXPECT_LT(copy, detail::SharedText(text + "x"));
  }
}

TEST(LockName, IsRefusedWhenEmptyAndSaysWhatToDo) {
  const auto name = LockName::parse("");
  ASSERT_TRUE(failed_with(name, Errc::invalid_argument));
  EXPECT_THAT(name.error().detail(), HasSubstr("empty"));
}

TEST(LockName, IsRefusedAbove512BytesAndSaysHowManyThereAre) {
  const auto name = LockName::parse(std::string(513, 'x'));
  ASSERT_TRUE(failed_with(name, Errc::invalid_argument));
  EXPECT_THAT(name.error().detail(), HasSubstr("513 bytes"));
}

TEST(LockName, IsRefusedWithAnyControlCharacterWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("{a}") + static_cast<char>(byte) + "b";
    const bool control = byte < 0x20 || byte == 0x7f;
    EXPECT_EQ(failed_with(LockName::parse(text), Errc::invalid_argument), control) << byte;
  }
  EXPECT_TRUE(failed_with(LockName::parse("\n"), Errc::invalid_argument));
  EXPECT_TRUE(failed_with(LockName::parse("end\t"), Errc::invalid_argument));
  EXPECT_TRUE(failed_with(LockName::parse(std::string_view("a\0", 2)), Errc::invalid_argument));
}

// The C1 control characters: a terminal obeys U+009B as it obeys ESC [. Source: ECMA-48, 5.3.
TEST(LockName, IsRefusedWithAControlCharacterOfTwoBytes) {
  for (int second = 0x80; second <= 0xbf; ++second) {
    const std::string text = {'a', '\xc2', static_cast<char>(second), 'b'};
    EXPECT_EQ(failed_with(LockName::parse(text), Errc::invalid_argument), second < 0xa0) << second;
  }
  EXPECT_TRUE(LockName::parse("\xc2")) << "no character, and no control character";
  EXPECT_TRUE(LockName::parse("\x9b")) << "one byte is none in UTF-8";
  EXPECT_TRUE(LockName::parse("\xe2\x80\x8b")) << "zero width, but no control character";
}

TEST(LockName, IsRefusedInOneLineEvenWhenTheNameHasSeveral) {
  const auto name = LockName::parse("two\nlines");
  ASSERT_TRUE(failed_with(name, Errc::invalid_argument));
  EXPECT_EQ(name.error().detail().find('\n'), std::string::npos);
}

TEST(LockName, IsRefusedWhenItIsAKeyOfAnotherLockOrOfTheLibrary) {
  for (const char* name : {"{foo}:interlock:fence", "{foo}:interlock:queue",
                           "{foo}:interlock:released", "{foo}::interlock:fence",
                           "a:interlock:anything", "interlock:ear:0123456789", "interlock:"}) {
    const auto refused = LockName::parse(name);
    ASSERT_TRUE(failed_with(refused, Errc::invalid_argument)) << name;
    EXPECT_THAT(refused.error().detail(), HasSubstr("keys that belong to other locks"));
  }
  for (const char* name :
       {"interlock", "interlock/deploy", "my interlock: yes", "a:interlocked:b"}) {
    EXPECT_TRUE(LockName::parse(name)) << name;
  }
}

TEST(LockName, IsRefusedWithABraceThatWouldKeepItsKeysApartOnACluster) {
  for (const char* name : {"a}b", "{}x", "x{}y", "}", "}a{", "{}{a}"}) {
    const auto refused = LockName::parse(name);
    ASSERT_TRUE(failed_with(refused, Errc::invalid_argument)) << name;
    EXPECT_THAT(refused.error().detail(), HasSubstr("a '}' and no hash tag"));
  }
  for (const char* name : {"a{b", "{a}b", "job{1}{2}", "{{a}}", "a}{b}", "{a}}", "{a"}) {
    EXPECT_TRUE(LockName::parse(name)) << name;
  }
}

TEST(Ttl, Reaches1MillisecondTo365Days) {
  EXPECT_EQ(Ttl::parse(milliseconds{1}).value().duration(), milliseconds{1});
  EXPECT_EQ(Ttl::parse(std::chrono::hours{365 * 24}).value().duration(), Ttl::longest);
}

TEST(Ttl, OutsideItsRangeIsRefusedWithTheFigureThatWasGiven) {
  for (const milliseconds wrong :
       {milliseconds{0}, milliseconds{-1}, milliseconds::min(), milliseconds::max(),
        Ttl::longest + milliseconds{1}, milliseconds{std::chrono::hours{300LL * 365 * 24}}}) {
    const auto ttl = Ttl::parse(wrong);
    ASSERT_TRUE(failed_with(ttl, Errc::invalid_argument)) << wrong.count();
    EXPECT_THAT(ttl.error().detail(), HasSubstr(std::to_string(wrong.count()) + " ms"));
  }
}

TEST(TtlDeathTest, OutOfRangeInCodeEndsTheProcess) {
  EXPECT_DEATH(static_cast<void>(Ttl(milliseconds{0})),
               "misuse: ttl of 0 ms is out of range: choose 1 ms to 365 days");
  EXPECT_DEATH(static_cast<void>(Ttl(milliseconds::max())),
               "misuse: ttl of 9223372036854775807 ms");
}

TEST(OwnerToken, WithTheMarkInFrontAnnouncesItsRelease) {
  EXPECT_TRUE(OwnerToken("il1:0123").announces_release());
  EXPECT_TRUE(OwnerToken("il1:").announces_release());
  EXPECT_FALSE(OwnerToken("0123il1:").announces_release());
  EXPECT_FALSE(OwnerToken("il1").announces_release());
  EXPECT_FALSE(OwnerToken().announces_release());
}

TEST(FencingToken, IsOrderedAsANumber) {
  EXPECT_LT(FencingToken(9), FencingToken(10));
  EXPECT_LT(FencingToken(std::uint64_t{1} << 32), FencingToken((std::uint64_t{1} << 32) + 1));
  EXPECT_EQ(FencingToken().value(), 0u);
}

TEST(Error, NamesEachCodeInAWordOfItsOwn) {
  EXPECT_EQ(to_string(Errc::unavailable), "unavailable");
  EXPECT_EQ(to_string(Errc::indeterminate), "indeterminate");
  EXPECT_EQ(to_string(Errc::rejected), "rejected");
  EXPECT_EQ(to_string(Errc::cancelled), "cancelled");
  EXPECT_EQ(to_string(Errc::invalid_argument), "invalid argument");
}

TEST(Result, HoldsAValueOrTheErrorItWasGiven) {
  const Result<int> value = 17;
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(*value, 17);
  EXPECT_FALSE(failed_with(value, Errc::rejected));

  const Result<int> error = Error(Errc::rejected, "no");
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(error.error(), Error(Errc::rejected, "no"));
  EXPECT_TRUE(failed_with(error, Errc::rejected));
  EXPECT_FALSE(failed_with(error, Errc::unavailable));
}

TEST(Result, ComparesValuesWithValuesAndErrorsWithErrors) {
  const Result<int> one = 1;
  const Result<int> no = Error(Errc::rejected, "no");
  EXPECT_EQ(one, Result<int>(1));
  EXPECT_NE(one, Result<int>(2));
  EXPECT_NE(one, no);
  EXPECT_EQ(no, Result<int>(Error(Errc::rejected, "no")));
  EXPECT_NE(no, Result<int>(Error(Errc::rejected, "never")));
}

TEST(Value, IsExactlyOneOfNilNumberTextAndList) {
  const Value nil;
  EXPECT_TRUE(nil.is_nil());
  EXPECT_EQ(nil.number(), nullptr);
  const Value number(std::int64_t{0});
  EXPECT_FALSE(number.is_nil());
  EXPECT_EQ(*number.number(), 0);
  EXPECT_EQ(number.text(), nullptr);
  const Value text{std::string()};
  EXPECT_FALSE(text.is_nil());
  EXPECT_EQ(*text.text(), "");
  EXPECT_EQ(text.list(), nullptr);
  EXPECT_NE(Value(std::string("1")), Value(std::int64_t{1}));
}

TEST(Value, IsPrintedAsPeopleWriteIt) {
  EXPECT_EQ(to_string(Value()), "nil");
  EXPECT_EQ(to_string(Value(std::int64_t{-17})), "-17");
  EXPECT_EQ(to_string(Value(std::string("text"))), "\"text\"");
  EXPECT_EQ(to_string(Value(std::vector<Value>{})), "[]");
  const std::vector<Value> inner{Value(std::int64_t{2}), Value()};
  const std::vector<Value> outer{Value(std::int64_t{1}), Value(std::string("a")), Value(inner)};
  EXPECT_EQ(to_string(Value(outer)), "[1, \"a\", [2, nil]]");
}

TEST(Words, ForEventsStatesAndReasonsDiffer) {
  EXPECT_EQ(to_string(EventKind::acquired), "acquired");
  EXPECT_EQ(to_string(EventKind::waiting), "waiting");
  EXPECT_EQ(to_string(EventKind::renewed), "renewed");
  EXPECT_EQ(to_string(EventKind::at_risk), "at risk");
  EXPECT_EQ(to_string(EventKind::lost), "lost");
  EXPECT_EQ(to_string(EventKind::released), "released");
  EXPECT_EQ(to_string(EventKind::error), "error");
  EXPECT_EQ(to_string(EventKind::wait_ended), "wait ended");
  EXPECT_EQ(to_string(EventKind::not_acquired), "not acquired");
  EXPECT_EQ(to_string(EventKind::hold_ended), "hold ended");
  EXPECT_EQ(to_string(LeaseState::held), "held");
  EXPECT_EQ(to_string(LeaseState::at_risk), "at risk");
  EXPECT_EQ(to_string(LeaseState::lost), "lost");
  EXPECT_THAT(to_string(LossReason::not_renewed_in_time), HasSubstr("in time"));
  EXPECT_THAT(to_string(LossReason::held_by_another), HasSubstr("another"));
  EXPECT_THAT(to_string(LossReason::gone), HasSubstr("gone"));
}

}  // namespace
}  // namespace interlock
