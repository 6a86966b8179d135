#include "lock/holder.hpp"

#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

const OwnerToken ours("il1:0123456789abcdef0123456789abcdef:812@web-3");

TEST(Holder, OfThisLibrarySaysWhereItRuns) {
  ASSERT_TRUE(whereabouts(ours));
  EXPECT_EQ(whereabouts(ours)->pid, 812);
  EXPECT_EQ(whereabouts(ours)->host, "web-3");
  EXPECT_EQ(holder_text(ours), "web-3 pid 812");
}

TEST(Holder, OfAnotherProgramIsCalledThat) {
  EXPECT_EQ(holder_text(OwnerToken("8f3a")), "another program (token 8f3a)");
  EXPECT_EQ(holder_text(OwnerToken("")), "another program (token )");
  EXPECT_EQ(holder_text(OwnerToken("0123456789012345678901234567890123456789")),
            "another program (token 012345678901234567890123...)");
}

TEST(Holder, WithAMalformedTokenIsAnotherProgram) {
  for (const char* text : {"il1:", "il1:abc", "il1:abc:x@host", "il1:abc:12@", "il1:abc@host:12",
                           "il1:abc:@host", "il1:abc:99999999999999999999@host"}) {
    EXPECT_FALSE(whereabouts(OwnerToken(text))) << text;
  }
}

TEST(Holder, CannotSteerTheTerminal) {
  EXPECT_EQ(holder_text(OwnerToken("\033[2J\n")), "another program (token ?[2J?)");
  EXPECT_EQ(holder_text(OwnerToken("il1:00:1@\033[2Jx")), "?[2Jx pid 1");
}

TEST(BusyText, CountsOnFromWhenItWasHeard) {
  const Busy busy(ours, milliseconds{20'000}, milliseconds{41'000});
  EXPECT_EQ(busy_text(busy), "held by web-3 pid 812 for 41 s");
  EXPECT_EQ(busy_text(Busy(OwnerToken("x"), std::nullopt, std::nullopt)),
            "held by another program (token x)");
}

TEST(BusyText, OfAQuarantineSaysThatTheStoreGrantsNothing) {
  const OwnerToken quarantine{std::string(OwnerToken::quarantine)};
  EXPECT_EQ(busy_text(Busy(quarantine, milliseconds{4'200}, std::nullopt)),
            "no lock is granted at this store for another 4.2 s, because it is new or has just "
            "changed (failover or restart)");
}

}  // namespace
}  // namespace interlock::cli
