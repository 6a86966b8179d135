// A command in one line, as explore prints it and replay reads it.
#include "console/shell_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace interlock::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> words_of(const std::string& line) {
  const auto words = unquoted_words(line);
  EXPECT_TRUE(words) << line;
  return words ? *words : std::vector<std::string>{"an error"};
}

std::string why_not(const std::string& line) {
  const auto words = unquoted_words(line);
  EXPECT_FALSE(words) << line;
  if (words) return "no error";
  EXPECT_EQ(words.error().code, usage);
  return words.error().message;
}

RC_GTEST_PROP(ShellWords, AreReadAsTheyAreWritten, (const std::vector<std::string>& words)) {
  std::string line;
  for (const std::string& word : words) line += quoted(word) + " ";
  const auto read = unquoted_words(line);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == words);
}

TEST(ShellWords, AreSeparatedByAnySpace) {
  EXPECT_THAT(words_of("  a\tb \n c\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" \n"), IsEmpty());
}

TEST(ShellWords, MayBePartlyQuoted) {
  EXPECT_THAT(words_of("a' b'c '' 'it'\\''s' \\'"), ElementsAre("a bc", "", "it's", "'"));
}

TEST(ShellWords, WithWhatOnlyAShellUnderstandsAreRefused) {
  EXPECT_THAT(why_not("python3 'worker.py"), HasSubstr("a single quote is not closed"));
  for (const char* const line : {"\"a\"", "a\\ b", "$HOME", "`a`", "a;b", "a|b", "a&", "(a", "*.py",
                                 "~/a", "#a", "a>b", "a?", "[a]", "{a}", "!a", "a\\"}) {
    EXPECT_THAT(why_not(line), HasSubstr("means something to a shell")) << line;
  }
}

}  // namespace
}  // namespace interlock::cli
