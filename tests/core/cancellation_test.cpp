#include "interlock/cancellation.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <optional>

namespace interlock {
namespace {

TEST(Cancellation, WakesTheTaskThatWaitsAndOnlyOnce) {
  Cancellation cancellation;
  int woken = 0;
  const Cancellation::Waiting waiting(&cancellation, [&] { ++woken; });
  EXPECT_FALSE(cancellation.requested());
  cancellation.request();
  cancellation.request();
  EXPECT_TRUE(cancellation.requested());
  EXPECT_EQ(woken, 1);
}

TEST(Cancellation, ForgetsAWaiterThatHasGone) {
  Cancellation cancellation;
  int woken = 0;
  {
    const Cancellation::Waiting waiting(&cancellation, [&] { ++woken; });
  }
  cancellation.request();
  EXPECT_EQ(woken, 0);
}

TEST(Cancellation, CanBeWaitedForAgain) {
  Cancellation cancellation;
  int woken = 0;
  {
    const Cancellation::Waiting first(&cancellation, [&] { woken += 1; });
  }
  const Cancellation::Waiting second(&cancellation, [&] { woken += 10; });
  cancellation.request();
  EXPECT_EQ(woken, 10);
}

TEST(Cancellation, CallsNothingForAWaiterThatComesTooLate) {
  Cancellation cancellation;
  cancellation.request();
  int woken = 0;
  const Cancellation::Waiting waiting(&cancellation, [&] { ++woken; });
  cancellation.request();
  EXPECT_EQ(woken, 0);
  EXPECT_TRUE(cancellation.requested());
}

TEST(Cancellation, LetsTheWaiterGoFromInsideItsOwnWakeUp) {
  Cancellation cancellation;
  int woken = 0;
  std::optional<Cancellation::Waiting> waiting;
  waiting.emplace(&cancellation, [&] {
    ++woken;
    waiting.reset();
  });
  cancellation.request();
  EXPECT_EQ(woken, 1);
}

TEST(Cancellation, IsOptional) {
  const Cancellation::Waiting waiting(nullptr, [] { FAIL(); });
}

TEST(CancellationDeathTest, HasOneWaiterAtATime) {
  Cancellation cancellation;
  const Cancellation::Waiting first(&cancellation, [] {});
  EXPECT_DEATH(Cancellation::Waiting(&cancellation, [] {}), "broken invariant");
}

}  // namespace
}  // namespace interlock
