#include "manual/roff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Roff page() {
  return Roff("interlock-run", 1, "0.1", {"LOCK"});
}

TEST(RoffTest, MarksFlagsVariablesOperandsAndPages) {
  Roff roff = page();
  roff.paragraph("Hold LOCK (see --wait, INTERLOCK_WAIT); flock(1).");
  EXPECT_THAT(roff.text(), EndsWith(".PP\nHold \\fILOCK\\fR (see \\fB\\-\\-wait\\fR, "
                                    "\\fBINTERLOCK_WAIT\\fR); \\fBflock\\fR(1).\n"));
}

TEST(RoffTest, EscapesWhatMeansSomething) {
  Roff roff = page();
  roff.literal(".a 'b' \\c ~d ^e `f` -g\n'h");
  EXPECT_THAT(roff.text(), HasSubstr("\\&.a \\(aqb\\(aq \\ec \\(tid \\(hae \\(gaf\\(ga \\-g\n"));
  EXPECT_THAT(roff.text(), HasSubstr("\\&\\(aqh\n"));
}

TEST(RoffTest, AUrlMayBeBrokenBetweenItsParameters) {
  Roff roff = page();
  roff.paragraph("rediss://host/0?ca=FILE&key=FILE");
  EXPECT_THAT(roff.text(), EndsWith("rediss://host/0?ca=FILE&\\:key=FILE\n"));
}

TEST(RoffTest, KeepsAHyphenInProseAndAMinusElsewhere) {
  Roff roff = page();
  roff.paragraph("a well-known file-1.txt");
  EXPECT_THAT(roff.text(), EndsWith("a well-known file\\-1.txt\n"));
}

TEST(RoffTest, NoLineOfItsTextIsARequest) {
  Roff roff = page();
  std::string text;
  for (int i = 0; i < 60; ++i) text += "word ... ";
  roff.paragraph(text);
  EXPECT_THAT(roff.text(), testing::Not(HasSubstr("\n...")));
}

TEST(RoffTest, MakesSentencesOfFragments) {
  EXPECT_EQ(sentence_of("how long to wait"), "How long to wait.");
  EXPECT_EQ(sentence_of("sqlite:PATH, or redis"), "sqlite:PATH, or redis.");
  EXPECT_EQ(sentence_of("interlock is told."), "interlock is told.");
}

}  // namespace
}  // namespace interlock::cli
