#include "interlock/holder_note.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace interlock {
namespace {

using ::testing::HasSubstr;

const std::string host = "il1:00112233445566778899aabbccddeeff:812@web-3";

std::string noted(std::string_view note, const std::string& mark = "") {
  return HolderNote::of(OwnerToken(host + HolderNote::in_token(note) + mark));
}

TEST(HolderNotes, ComeBackWithWhateverBytes) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  EXPECT_EQ(noted(every), every);
  EXPECT_EQ(noted("100 %41 /fair /note:x"), "100 %41 /fair /note:x");
}

TEST(HolderNotes, AreOneWordWithoutASlash) {
  const std::string text = HolderNote::in_token("why: a/b\n%");
  EXPECT_EQ(text, "/note:why%3A%20a%2Fb%0A%25");
}

TEST(HolderNotes, StandBeforeTheMarksOfTheProtocols) {
  for (const std::string mark : {"/fair", "/shared/fair", "/permits:2of3/fair"}) {
    EXPECT_EQ(noted("release 42", mark), "release 42") << mark;
  }
}

TEST(HolderNotes, AreNotInOtherTokens) {
  EXPECT_EQ(HolderNote::in_token(""), "");
  EXPECT_EQ(HolderNote::of(OwnerToken(host)), "");
  EXPECT_EQ(HolderNote::of(OwnerToken(host + "/fair")), "");
  EXPECT_EQ(HolderNote::of(OwnerToken("8f3a/note:of-another-library")), "");
  EXPECT_EQ(HolderNote::of(OwnerToken("il1:group:shared:3/fair")), "");
}

TEST(HolderNotes, ThatOthersHaveWrittenWronglyAreReadAsFarAsTheyGo) {
  EXPECT_EQ(HolderNote::of(OwnerToken(host + "/note:50%")), "50%");
  EXPECT_EQ(HolderNote::of(OwnerToken(host + "/note:50%4")), "50%4");
  EXPECT_EQ(HolderNote::of(OwnerToken(host + "/note:50%zz")), "50%zz");
  EXPECT_EQ(HolderNote::of(OwnerToken(host + "/note:")), "");
}

TEST(HolderNotes, HaveALongestLength) {
  EXPECT_FALSE(HolderNote::wrong(std::string(HolderNote::bytes_max, 'x')));
  const auto error = HolderNote::wrong(std::string(HolderNote::bytes_max + 1, 'x'));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::invalid_argument);
  EXPECT_THAT(error->detail(), HasSubstr("257 bytes: give it at most 256"));
}

}  // namespace
}  // namespace interlock
