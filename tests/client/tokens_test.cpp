#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "interlock/system_token_source.hpp"

namespace interlock {
namespace {

TEST(SystemTokens, AreAllDifferentAndSayWhoHolds) {
  SystemTokenSource tokens;
  std::set<OwnerToken> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(tokens.fresh());
  EXPECT_EQ(seen.size(), 10'000U);
  const std::string text = seen.begin()->text();
  EXPECT_TRUE(seen.begin()->announces_release());
  EXPECT_EQ(text.substr(0, 4), "il1:");
  EXPECT_EQ(text.find(':', 4), 36U) << text;
  EXPECT_NE(text.find(":" + std::to_string(getpid()) + "@"), std::string::npos) << text;
}

TEST(SystemTokens, DifferBetweenParentAndChildAfterAFork) {
  SystemTokenSource tokens;
  static_cast<void>(tokens.fresh());
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string token = tokens.fresh().text();
    const auto written = write(channel[1], token.data(), 36);
    _exit(written == 36 ? 0 : 1);
  }
  char from_child[36];
  ASSERT_EQ(read(channel[0], from_child, 36), 36);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NE(tokens.fresh().text().substr(0, 36), std::string(from_child, 36));
  close(channel[0]);
  close(channel[1]);
}

// The system takes any bytes as a name of the machine; a queue's lines do not.
TEST(SystemTokens, HaveNoWhiteSpaceOrControlCharacterOfTheMachinesName) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string name = "a b\t\n\x1b\x7f\xc3\xbc.de";
    if (unshare(CLONE_NEWUTS) != 0 || sethostname(name.data(), name.size()) != 0) _exit(77);
    const std::string token = SystemTokenSource().fresh().text();
    _exit(token.substr(token.find('@')) == "@a_b____\xc3\xbc.de" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs root, to name a machine";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(SystemTokens, DrawNumbersBelowTheBound) {
  SystemTokenSource tokens;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(tokens.below(3));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace interlock
