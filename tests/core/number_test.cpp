#include "interlock/detail/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace interlock::detail {
namespace {

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<int>("-42"), -42);
  EXPECT_EQ(parse_number<int>("007"), 7);
  for (const char* const text : {"", "-", "4 2", " 42", "42 ", "+42", "0x2a", "42.", "forty-two"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(ParseNumber, RefusesWhatTheTypeCannotHold) {
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
}

TEST(ParseNumber, RefusesWhatIsOutOfBounds) {
  EXPECT_EQ(parse_number("1", 1, 8), 1);
  EXPECT_EQ(parse_number("8", 1, 8), 8);
  EXPECT_EQ(parse_number("0", 1, 8), std::nullopt);
  EXPECT_EQ(parse_number("9", 1, 8), std::nullopt);
}

TEST(TakeNumber, LeavesTheRest) {
  std::string_view rest = "7.2.4";
  EXPECT_EQ(take_number<int>(rest), 7);
  EXPECT_EQ(rest, ".2.4");
  EXPECT_EQ(take_number<int>(rest), std::nullopt);
  EXPECT_EQ(rest, ".2.4");
  rest = "99999999999999999999 ms";
  EXPECT_EQ(take_number<int>(rest), std::nullopt);
  EXPECT_EQ(rest, "99999999999999999999 ms");
}

}  // namespace
}  // namespace interlock::detail
