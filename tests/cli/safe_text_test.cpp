#include "console/safe_text.hpp"

#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

TEST(Printable, ShowsNoUrlWithItsPassword) {
  EXPECT_EQ(printable("redis://joe:pw@h/0"), "redis://...@h/0");
  EXPECT_EQ(printable("given redis://joe:p@w@h/0 and 'redis://:pw@h'"),
            "given redis://...@h/0 and 'redis://...@h'");
  EXPECT_EQ(printable("redis://joe:averylongpassword@h", 20), "redis://...@h");
  EXPECT_EQ(printable("redis://h/0 of joe@h"), "redis://h/0 of joe@h");
}

TEST(Printable, KeepsWhatPeopleWrite) {
  for (const char* text : {"deploy", "Grüße", "部署", "деплой", "naïve café", "🔒"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ReplacesControlCharactersAlsoThoseOfTwoBytes) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb"),
            "a?2Jb");  // CSI
  EXPECT_EQ(printable("a\xc2\x9d"
                      "0;title\xc2\x9c"),
            "a?0;title?");  // OSC, ST
  EXPECT_EQ(printable("\x7f\t\n"), "???");
}

TEST(Printable, ReplacesWhatTurnsOrHidesText) {
  EXPECT_EQ(printable("a\u202eb\u2066c\u200fd\u061ce"), "a?b?c?d?e");
  EXPECT_EQ(printable("a\u200bb\ufeffc\u2028d\U000e0041e"), "a?b?c?d?e");
}

TEST(Printable, ReplacesBytesThatAreNotUtf8OneByOne) {
  EXPECT_EQ(printable("a\xff\xfe"), "a??");
  EXPECT_EQ(printable("a\x9b"
                      "2J"),
            "a?2J");                                 // CSI of a terminal that knows Latin-1
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // an overlong '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(printable("a\xe4\xb8"), "a??");          // cut off
}

TEST(Printable, IsCutAtACharactersEnd) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("部署", 4), "部...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(EscapedInJson, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(escaped_in_json("{\"a\":\"\xc2\x9b"
                            "2J\"}"),
            "{\"a\":\"\\u009b2J\"}");
  EXPECT_EQ(escaped_in_json("\"\u202e\U000e0041\""), "\"\\u202e\\udb40\\udc41\"");
  EXPECT_EQ(escaped_in_json("{\"名\":\"部署\"}\n"), "{\"名\":\"部署\"}\n");
}

}  // namespace
}  // namespace interlock::cli
