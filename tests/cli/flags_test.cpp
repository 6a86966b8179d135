#include "console/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <sstream>

namespace interlock::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FlagsTest : public testing::Test {
 protected:
  FlagsTest() : flags_("run [flags] LOCK [--] COMMAND...", "Runs COMMAND while holding LOCK.") {
    ::unsetenv("INTERLOCK_TEST_WAIT");
    flags_.value('w', "wait", "DUR", &wait_, "how long to wait", "INTERLOCK_TEST_WAIT");
    flags_.value(0, "ttl", "DUR", &ttl_, "how long it lasts");
    flags_.toggle('q', "quiet", &quiet_, "say nothing");
    flags_.toggle('v', "verbose", &verbose_, "say more");
  }
  ~FlagsTest() override { ::unsetenv("INTERLOCK_TEST_WAIT"); }

  Fallible<Arguments> parse(const std::vector<std::string>& words) {
    return flags_.parse(words, 1, true);
  }

  Flags flags_;
  std::optional<Given> wait_;
  std::optional<Given> ttl_;
  bool quiet_ = false;
  bool verbose_ = false;
};

TEST_F(FlagsTest, TakesEveryUsualSpelling) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-w", "5s", "x", "cmd"},
                                                {"-w5s", "x", "cmd"},
                                                {"--wait", "5s", "x", "cmd"},
                                                {"--wait=5s", "x", "cmd"},
                                                {"x", "-w", "5s", "cmd"},
                                                {"x", "--wait=5s", "--", "cmd"},
                                                {"-w", "5s", "--", "x", "--", "cmd"},
                                                {"-w", "5s", "--", "x", "cmd"}}) {
    wait_.reset();
    const auto arguments = parse(words);
    ASSERT_TRUE(arguments) << arguments.error().message;
    ASSERT_TRUE(wait_);
    EXPECT_EQ(wait_->text, "5s");
    EXPECT_THAT(arguments->operands, ElementsAre("x"));
    EXPECT_THAT(arguments->command, ElementsAre("cmd"));
  }
}

TEST_F(FlagsTest, JoinsLetters) {
  ASSERT_TRUE(parse({"-qvw", "1s", "x"}));
  EXPECT_TRUE(quiet_);
  EXPECT_TRUE(verbose_);
  EXPECT_EQ(wait_->text, "1s");
}

TEST_F(FlagsTest, LeavesTheCommandAlone) {
  const auto plain = parse({"x", "cmd", "-w", "--quiet", "--", "-v", "--help"});
  ASSERT_TRUE(plain);
  EXPECT_THAT(plain->command, ElementsAre("cmd", "-w", "--quiet", "--", "-v", "--help"));
  const auto dashed = parse({"x", "--", "-weird", "--wait"});
  ASSERT_TRUE(dashed);
  EXPECT_THAT(dashed->command, ElementsAre("-weird", "--wait"));
  EXPECT_FALSE(wait_);
  EXPECT_FALSE(quiet_);
  EXPECT_FALSE(dashed->help);
}

TEST_F(FlagsTest, TakesWhateverFollowsAsTheValue) {
  ASSERT_TRUE(parse({"--wait", "-5s", "x"}));
  EXPECT_EQ(wait_->text, "-5s");
  ASSERT_TRUE(parse({"--wait=", "x"}));
  EXPECT_EQ(wait_->text, "");
  ASSERT_TRUE(parse({"--wait=a=b", "x"}));
  EXPECT_EQ(wait_->text, "a=b");
}

TEST_F(FlagsTest, RefusesWhatItDoesNotKnowAndSaysWhatWasMeant) {
  const auto near = parse({"--wiat", "5s", "x"});
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().code, usage);
  EXPECT_EQ(near.error().message, "'run' has no flag '--wiat'; did you mean '--wait'?");
  const auto far = parse({"--permits=3", "x"});
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().message, "'run' has no flag '--permits'; see interlock run --help");
  EXPECT_FALSE(parse({"-n", "3", "x"}));
  EXPECT_FALSE(parse({"-qn", "x"}));
}

TEST_F(FlagsTest, AnswersFlagsOfOtherToolsWithTheWordToUse) {
  constexpr std::array others{ForeignFlag{"-n", "flock", "write --wait 0"},
                              ForeignFlag{"--nonblock", "flock", "write --wait 0"},
                              ForeignFlag{"-quick", "quicklock", "write --quiet"}};
  flags_.instead_of(others);
  const auto refusal = [this](const std::vector<std::string>& words) {
    const auto arguments = parse(words);
    EXPECT_FALSE(arguments);
    return arguments ? std::string() : arguments.error().message;
  };
  EXPECT_EQ(refusal({"-n", "x"}), "'run' has no flag '-n', as flock has: write --wait 0");
  EXPECT_EQ(refusal({"-qn", "x"}), "'run' has no flag '-n', as flock has: write --wait 0");
  EXPECT_EQ(refusal({"--nonblock=1", "x"}),
            "'run' has no flag '--nonblock', as flock has: write --wait 0");
  EXPECT_EQ(refusal({"-quick=yes", "x"}),
            "'run' has no flag '-quick', as quicklock has: write --quiet");
}

TEST_F(FlagsTest, RefusesAMissingAndASuperfluousValue) {
  const auto missing = parse({"x", "--wait"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "--wait needs a value; write --wait DUR");
  const auto superfluous = parse({"--quiet=yes", "x"});
  ASSERT_FALSE(superfluous);
  EXPECT_EQ(superfluous.error().message, "--quiet takes no value; write --quiet alone");
}

TEST_F(FlagsTest, RefusesAValueThatIsGivenTwice) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--wait", "1s", "x", "-w", "2s"}, {"-w1s", "-w1s", "x"}}) {
    const auto twice = parse(words);
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().code, usage);
    EXPECT_EQ(twice.error().message, "-w is given twice; write it once");
  }
  ::setenv("INTERLOCK_TEST_WAIT", "7s", 1);
  EXPECT_TRUE(parse({"-w", "1s", "x"}));
}

// It can only mean the same: a second value could be another one.
TEST_F(FlagsTest, TakesASwitchThatIsGivenTwice) {
  EXPECT_TRUE(parse({"-qq", "--quiet", "--quiet", "x"}));
  EXPECT_TRUE(quiet_);
}

TEST_F(FlagsTest, RefusesOneOperandTooMany) {
  const auto arguments = flags_.parse({"x", "y"}, 1, false);
  ASSERT_FALSE(arguments);
  EXPECT_THAT(arguments.error().message, HasSubstr("'y'"));
}

TEST_F(FlagsTest, PrefersTheFlagToTheEnvironment) {
  ::setenv("INTERLOCK_TEST_WAIT", "7s", 1);
  ASSERT_TRUE(parse({"x"}));
  EXPECT_EQ(wait_->text, "7s");
  EXPECT_EQ(wait_->said(), "INTERLOCK_TEST_WAIT=7s");
  EXPECT_EQ(wait_->fault_code(), bad_configuration);
  wait_.reset();
  ASSERT_TRUE(parse({"-w", "1s", "x"}));
  EXPECT_EQ(wait_->text, "1s");
  EXPECT_EQ(wait_->said(), "-w 1s");
  EXPECT_EQ(wait_->fault_code(), usage);
  wait_.reset();
  ::setenv("INTERLOCK_TEST_WAIT", "", 1);
  ASSERT_TRUE(parse({"x"}));
  EXPECT_FALSE(wait_);
}

TEST_F(FlagsTest, ShowsHelpWheneverAsked) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"-h"}, {"-q", "-h"}, {"x", "--help"}}) {
    const auto arguments = parse(words);
    ASSERT_TRUE(arguments);
    EXPECT_TRUE(arguments->help);
  }
}

TEST_F(FlagsTest, HelpNamesEveryFlagWithin80Columns) {
  const std::string help = flags_.help();
  for (const char* part :
       {"-w, --wait DUR", "--ttl DUR", "-q, --quiet", "-h, --help", "INTERLOCK_TEST_WAIT"}) {
    EXPECT_THAT(help, HasSubstr(part));
  }
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace interlock::cli
