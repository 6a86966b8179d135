#include "system/signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace interlock::cli {
namespace {

TEST(ParseSignal, TakesNamesAndNumbers) {
  EXPECT_EQ(parse_signal("TERM"), SIGTERM);
  EXPECT_EQ(parse_signal("term"), SIGTERM);
  EXPECT_EQ(parse_signal("SIGINT"), SIGINT);
  EXPECT_EQ(parse_signal("sigusr1"), SIGUSR1);
  EXPECT_EQ(parse_signal("kill"), SIGKILL);
  EXPECT_EQ(parse_signal("9"), SIGKILL);
}

TEST(ParseSignal, RefusesEverythingElse) {
  for (const char* text :
       {"", "0", "-1", "999", "SIG", "TERMINATE", "9x", "99999999999999999999"}) {
    EXPECT_EQ(parse_signal(text), 0) << text;
  }
}

TEST(SignalName, IsShort) {
  EXPECT_STREQ(signal_name(SIGTERM), "TERM");
  EXPECT_STREQ(signal_name(SIGKILL), "KILL");
}

TEST(Signals, BecomeEventsAndAreGivenBack) {
  const auto is_blocked = [](int signal) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, signal) == 1;
  };
  ASSERT_FALSE(is_blocked(SIGTERM));
  {
    Signals signals;
    EXPECT_TRUE(is_blocked(SIGTERM));
    EXPECT_TRUE(signals.take().empty());
    ::kill(::getpid(), SIGTERM);
    ::kill(::getpid(), SIGUSR1);
    const auto taken = signals.take();
    EXPECT_EQ(taken.size(), 2U);
    EXPECT_TRUE(signals.take().empty());
  }
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(Signals, LeaveIgnoredOnesIgnored) {
  // As nohup(1) starts programs.
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    Signals signals;
    ::kill(::getpid(), SIGHUP);
    EXPECT_TRUE(signals.take().empty());
  }
  std::signal(SIGHUP, before);
}

}  // namespace
}  // namespace interlock::cli
