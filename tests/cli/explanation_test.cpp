#include "console/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::cli {

static bool operator==(const MarkedBlock& a, const MarkedBlock& b) {
  return a.shape == b.shape && a.text == b.text && a.term == b.term;
}

namespace {

using testing::ElementsAre;
using BlockShape = MarkedBlock::BlockShape;

TEST(ExplanationTest, JoinsTheLinesOfAParagraph) {
  EXPECT_THAT(blocks_of("One line\nand another.\n\nA second\n"),
              ElementsAre(MarkedBlock{BlockShape::paragraph, "One line and another.", {}},
                          MarkedBlock{BlockShape::paragraph, "A second", {}}));
}

TEST(ExplanationTest, KnowsItemsTermsAndHeadings) {
  EXPECT_THAT(blocks_of("# Limits\nText:\n- one\n  item\n- two\n\nN :: a number\nof lines\n"),
              ElementsAre(MarkedBlock{BlockShape::heading, "Limits", {}},
                          MarkedBlock{BlockShape::paragraph, "Text:", {}},
                          MarkedBlock{BlockShape::item, "one item", {}},
                          MarkedBlock{BlockShape::item, "two", {}},
                          MarkedBlock{BlockShape::term, "a number of lines", "N"}));
}

TEST(ExplanationTest, ADashBeforeATextIsATermAndNoItem) {
  EXPECT_THAT(blocks_of("- :: only the first has it\n-+ :: both\n"),
              ElementsAre(MarkedBlock{BlockShape::term, "only the first has it", "-"},
                          MarkedBlock{BlockShape::term, "both", "-+"}));
}

TEST(ExplanationTest, LeavesIndentedLinesAsTheyAre) {
  EXPECT_THAT(blocks_of("Text\n\n  a {\n    b\n\n  }\nMore\n"),
              ElementsAre(MarkedBlock{BlockShape::paragraph, "Text", {}},
                          MarkedBlock{BlockShape::literal, "a {\n  b\n\n}", {}},
                          MarkedBlock{BlockShape::paragraph, "More", {}}));
}

TEST(ExplanationTest, AddsTheUsualCodesWithTheirMeaning) {
  const auto codes = and_usual({{"0", "released"}}, {usage});
  ASSERT_EQ(codes.size(), 2U);
  EXPECT_EQ(codes[1].term, "64");
  EXPECT_EQ(codes[1].text, meaning_of(usage));
}

}  // namespace
}  // namespace interlock::cli
