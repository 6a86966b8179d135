#include "completion/typed_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

using testing::ElementsAre;

constexpr const char* breaks = " \t\n\"'@><=;|&(:";

TEST(TypedLineTest, SplitsAtBlanksAndTakesQuotesAway) {
  EXPECT_THAT(TypedLine("interlock run 'a b' c\\ d \"e", breaks).words(),
              ElementsAre("interlock", "run", "a b", "c d", "e"));
  EXPECT_THAT(TypedLine("interlock ", breaks).words(), ElementsAre("interlock", ""));
}

TEST(TypedLineTest, GivesBashWhatItReplaces) {
  EXPECT_EQ(TypedLine("interlock status dep", breaks).for_bash("deploy"), "deploy");
  EXPECT_EQ(TypedLine("interlock status a:b", breaks).for_bash("a:bc"), "bc");
  EXPECT_EQ(TypedLine("interlock run --on-lost=k", breaks).for_bash("--on-lost=kill"), "kill");
  EXPECT_EQ(TypedLine("interlock status ", breaks).for_bash("a b'c"), "a\\ b\\'c");
  EXPECT_EQ(TypedLine("interlock status \"a", breaks).for_bash("a b$c"), "a b\\$c");
  EXPECT_EQ(TypedLine("interlock status 'a", breaks).for_bash("a b$c"), "a b$c");
}

TEST(TypedLineTest, CountsWordsAsBashDoes) {
  // interlock run --store redis : //h dep cmd
  const TypedLine line("interlock run --store redis://h dep cmd", breaks);
  EXPECT_EQ(line.in_bash(3), 3U);
  EXPECT_EQ(line.in_bash(4), 6U);
  EXPECT_EQ(line.in_bash(5), 7U);
  // A quoted character breaks nothing.
  EXPECT_EQ(TypedLine("interlock run 'a:b' cmd", breaks).in_bash(3), 3U);
}

}  // namespace
}  // namespace interlock::cli
