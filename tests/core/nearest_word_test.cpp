#include "interlock/detail/nearest_word.hpp"

#include <gtest/gtest.h>

namespace interlock::detail {
namespace {

const std::vector<std::string> commands{"run", "hold", "status", "break", "check", "version"};

TEST(NearestWord, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_word("rnu", commands), "run");
  EXPECT_EQ(nearest_word("ru", commands), "run");
  EXPECT_EQ(nearest_word("stauts", commands), "status");
  EXPECT_EQ(nearest_word("hodl", commands), "hold");
  EXPECT_EQ(nearest_word("verison", commands), "version");
}

TEST(NearestWord, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_word("", commands), "");
  EXPECT_EQ(nearest_word("deploy", commands), "");
  EXPECT_EQ(nearest_word("xyz", commands), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'r'), commands), "");
}

TEST(NearestWord, IsAsStrictAsItsCallerSays) {
  EXPECT_EQ(nearest_word("verisoned", commands, 3), "version");
  EXPECT_EQ(nearest_word("verisoned", commands, 2), "");
  EXPECT_EQ(nearest_word("hold", commands, 0), "hold");
}

}  // namespace
}  // namespace interlock::detail
