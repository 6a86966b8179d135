#include "interlock/posix/signals_blocked.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include "support/child.hpp"

namespace interlock::posix {
namespace {

using test::in_child;

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

TEST(QuietThread, HasAllSignalsBlockedAndItsMakerHasNot) {
  bool quiet = false;
  auto thread =
      thread_with_signals_blocked([&] { quiet = is_blocked(SIGINT) && is_blocked(SIGTERM); });
  ASSERT_TRUE(thread);
  EXPECT_FALSE(is_blocked(SIGINT));
  thread->join();
  EXPECT_TRUE(quiet);
}

TEST(QuietThread, ThatTheSystemRefusesIsAnErrorAndNoSignalStaysBlocked) {
  EXPECT_EQ(in_child([] {
              test::forbid_threads();
              const auto thread = thread_with_signals_blocked([] {});
              if (thread) return 1;
              if (is_blocked(SIGINT)) return 2;
              if (thread.error().code() != Errc::unavailable) return 3;
              return thread.error().detail().starts_with("cannot start a thread: ") ? 0 : 4;
            }),
            0);
}

}  // namespace
}  // namespace interlock::posix
