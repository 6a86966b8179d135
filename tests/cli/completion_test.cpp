#include "completion/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    flags_.value('w', "wait", "DUR", &wait_, "how long to wait").suggested = {"0", "30s"};
    flags_.value(0, "output", "F", &output_, "where to").suggested = Suggestions::files();
    flags_.toggle('q', "quiet", &quiet_, "say nothing");
    flags_.operand(
        "LOCK", Suggestions([this](const TypedWords&) {
          return std::vector<SuggestedWord>{{"deploy", wait_ ? wait_->text : ""}, {"a\nb", {}}};
        }));
    flags_.command(Flags::CommandPlace::after_operands);
  }

  Completion at(const std::vector<std::string>& before, const std::string& begun) {
    return complete(flags_, before, begun);
  }
  std::vector<std::string> words(const std::vector<std::string>& before, const std::string& begun) {
    std::vector<std::string> all;
    for (const SuggestedWord& each : at(before, begun).words) all.push_back(each.word);
    return all;
  }

  std::optional<Given> wait_;
  std::optional<Given> output_;
  bool quiet_ = false;
  Flags flags_{"run [flags] LOCK [--] COMMAND...", "Runs."};
};

TEST_F(CompletionTest, OffersFlagsThatWereNotGiven) {
  EXPECT_THAT(words({}, "--"), ElementsAre("--wait", "--output", "--quiet", "--help"));
  EXPECT_THAT(words({"-q", "-w5s"}, "--"), ElementsAre("--output", "--help"));
}

TEST_F(CompletionTest, OffersValues) {
  EXPECT_THAT(words({"--wait"}, ""), ElementsAre("0", "30s"));
  EXPECT_THAT(words({"-qw"}, "3"), ElementsAre("30s"));
  EXPECT_THAT(words({}, "--wait=3"), ElementsAre("--wait=30s"));
  EXPECT_TRUE(at({"--output"}, "x").has_files);
}

TEST_F(CompletionTest, AsksForOperandsWithTheFlagsThatWereTyped) {
  const Completion found = at({"--wait", "7s"}, "");
  ASSERT_EQ(found.words.size(), 1U) << "a control character must not reach a terminal";
  EXPECT_EQ(found.words[0].about, "7s");
  EXPECT_THAT(words({}, "x"), IsEmpty());
}

TEST_F(CompletionTest, LeavesTheCommandToTheShell) {
  for (const std::vector<std::string>& before :
       {std::vector<std::string>{"x"}, {"x", "--"}, {"-q", "x"}, {"--", "x", "--"}}) {
    const Completion found = at(before, "c");
    EXPECT_TRUE(found.is_command);
    EXPECT_EQ(found.command_begins, before.size());
  }
  const Completion later = at({"x", "--", "cmd", "-a"}, "b");
  EXPECT_TRUE(later.is_command);
  EXPECT_EQ(later.command_begins, 2U);
  EXPECT_FALSE(at({"x"}, "--wa").is_command);
}

}  // namespace
}  // namespace interlock::cli
