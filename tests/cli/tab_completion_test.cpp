#include "interactive/tab_completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> words{"shortest", "show", "undo"};

TEST(TabCompletion, InsertsTheRestOfTheOnlyWord) {
  const auto completion = complete("u", words);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->insert, "ndo ");
  EXPECT_THAT(completion->choices, IsEmpty());
  EXPECT_EQ(complete("undo", words)->insert, " ");
}

TEST(TabCompletion, InsertsWhatAllWordsHaveInCommon) {
  EXPECT_EQ(complete("s", words)->insert, "ho");
}

TEST(TabCompletion, OffersTheWordsIfNothingCanBeInserted) {
  const auto completion = complete("sho", words);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->insert, "");
  EXPECT_THAT(completion->choices, ElementsAre("shortest", "show"));
  EXPECT_THAT(complete("", words)->choices, ElementsAre("shortest", "show", "undo"));
}

TEST(TabCompletion, IsAboutTheLastWordAlone) {
  EXPECT_EQ(complete("show u", words)->insert, "ndo ");
  EXPECT_THAT(complete("show ", words)->choices, ElementsAre("shortest", "show", "undo"));
}

TEST(TabCompletion, KnowsWhatBeginsNoWord) {
  EXPECT_FALSE(complete("x", words));
  EXPECT_FALSE(complete("undone", words));
  EXPECT_FALSE(complete("", {}));
}

}  // namespace
}  // namespace interlock::cli
