#include "console/lines.hpp"

#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

TEST(Counted, OneIsNoPlural) {
  EXPECT_EQ(counted(0, "state"), "0 states");
  EXPECT_EQ(counted(1, "state"), "1 state");
  EXPECT_EQ(counted(2, "state"), "2 states");
}

TEST(Shortened, KeepsBothEndsOfWhatIsTooLong) {
  EXPECT_EQ(shortened("orders/42", 9), "orders/42");
  EXPECT_EQ(shortened("orders/2026/42", 9), "ord.../42");
  EXPECT_EQ(shortened("orders/2026/42", 8), "ord...42");
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4z", 8),
            "\xc3\xa4\xc3\xa4\xc3\xa4...\xc3\xa4z");
}

TEST(Wrapped, BreaksBetweenWordsAndIndents) {
  EXPECT_EQ(wrapped("waiters are woken by inotify", 4, 20), "waiters are\n    woken by inotify");
  EXPECT_EQ(wrapped("waiters are woken by inotify", 4, 32), "waiters are woken by inotify");
  EXPECT_EQ(wrapped("waiters are woken by inotify", 4, 31), "waiters are woken by\n    inotify");
}

TEST(Wrapped, LeavesWholeWhatHasNoRoomAnywhere) {
  EXPECT_EQ(wrapped("file /a/very/long/path/indeed here", 0, 20),
            "file\n/a/very/long/path/indeed\nhere");
  EXPECT_EQ(wrapped("waiters are woken by inotify", 10, 19), "waiters are woken by inotify");
  EXPECT_EQ(wrapped("waiters are woken by inotify", 4, std::nullopt),
            "waiters are woken by inotify");
  EXPECT_EQ(wrapped("", 4, 20), "");
}

TEST(Wrapped, BeginsALineOfItsOwnWhereHardlyAWordWouldFit) {
  EXPECT_EQ(wrapped("waiters are woken by inotify", 10, 20),
            "\n    waiters are\n    woken by inotify");
}

TEST(Wrapped, CountsCharactersAndNotBytes) {
  EXPECT_EQ(
      wrapped("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 1234567", 0, 16),
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 1234567");
}

}  // namespace
}  // namespace interlock::cli
