// LockOptions::at_least over the memory store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace interlock {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;

class AtLeast : public ::testing::TestWithParam<bool> {
 protected:
  static LockOptions lock(Duration at_least, std::optional<Duration> wait = {}) {
    LockOptions options;
    options.fair = GetParam();
    options.at_least = at_least;
    options.wait = wait;
    return options;
  }
  void expect_held_for(milliseconds least, milliseconds most) {
    const AcquireResult busy = other.acquire("a", lock(Duration::zero(), Duration::zero()));
    ASSERT_NE(busy.busy(), nullptr) << busy.why_not();
    ASSERT_TRUE(busy.busy()->remaining);
    EXPECT_THAT(*busy.busy()->remaining, AllOf(Gt(least), Le(most)));
  }

  const std::shared_ptr<Backend> store = memory::backend();
  Client client{store};
  Client other{store};
};
INSTANTIATE_TEST_SUITE_P(Locks, AtLeast, ::testing::Bool(), [](const auto& fair) {
  return fair.param ? "Fair" : "Unfair";
});

TEST_P(AtLeast, ALockStaysHeldAfterItsRelease) {
  AcquireResult held = client.acquire("a", lock(hours{1}));
  ASSERT_TRUE(held) << held.why_not();
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  expect_held_for(minutes{59}, minutes{60} + milliseconds{10});
}

// The holder's clock may be faster than the store's.
TEST_P(AtLeast, TheTimeThatTheHolderCountedHasAMargin) {
  constexpr milliseconds margin{400};
  ClientOptions options;
  options.margin = SafetyMargin(0, margin);
  Client wary(store, options);
  const TimePoint began = local_now();
  AcquireResult held = wary.acquire("a", lock(hours{1}));
  ASSERT_TRUE(held);
  std::this_thread::sleep_for(margin + milliseconds{100});
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  const AcquireResult busy = other.acquire("a", lock(Duration::zero(), Duration::zero()));
  ASSERT_TRUE(busy.busy() != nullptr && busy.busy()->remaining);
  constexpr milliseconds rounded{2};
  EXPECT_GE(*busy.busy()->remaining, hours{1} - (local_now() - began) + margin - rounded);
}

TEST_P(AtLeast, ALockStaysHeldWhenItsGuardIsDropped) {
  ASSERT_TRUE(client.acquire("a", lock(hours{1})));
  expect_held_for(minutes{59}, minutes{61});
}

TEST_P(AtLeast, ALockThatATaskReleasesStaysHeld) {
  const auto section = [](Client* by, LockOptions with) -> Task<void> {
    const LockName name = *LockName::parse("a");
    AcquireResult held = co_await by->acquire_async(name, with);
    EXPECT_TRUE(held) << held.why_not();
    EXPECT_EQ(*co_await held->release_async(), ReleaseOutcome::released);
  };
  client.wait_for(section(&client, lock(hours{1})));
  expect_held_for(minutes{59}, minutes{61});
}

TEST_P(AtLeast, ALockIsHandedToNoOtherCallerOfTheClientBefore) {
  ClientOptions options;
  options.hand_over.within = minutes{1};  // however slow the machine
  Client several(store, options);
  AcquireResult held = several.acquire("a", lock(hours{1}));
  ASSERT_TRUE(held);
  {
    const std::jthread waiter([&] {
      const AcquireResult busy = several.acquire("a", lock(Duration::zero(), milliseconds{500}));
      EXPECT_NE(busy.busy(), nullptr);
    });
    // Most likely it waits then. Else the test shows less.
    std::this_thread::sleep_for(milliseconds{100});
    EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  }
  expect_held_for(minutes{59}, minutes{61});
}

TEST_P(AtLeast, NobodyEntersBeforeAndAWaiterDoesThen) {
  constexpr milliseconds a_while{200};
  AcquireResult held = client.acquire("a", lock(a_while));
  ASSERT_TRUE(held);
  const TimePoint granted = local_now();
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  EXPECT_TRUE(other.acquire("a", lock(Duration::zero())));
  EXPECT_GE(local_now() - granted, a_while - milliseconds{5});
}

TEST_P(AtLeast, ALockThatIsHeldLongerIsReleased) {
  AcquireResult held = client.acquire("a", lock(milliseconds{1}));
  ASSERT_TRUE(held);
  std::this_thread::sleep_for(milliseconds{20});
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  EXPECT_TRUE(store->held_locks()->empty());
}

TEST_P(AtLeast, ALockIsFreeAfterAReleaseThatWaivesIt) {
  AcquireResult held = client.acquire("a", lock(hours{1}));
  ASSERT_TRUE(held);
  held->waive_at_least();
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  EXPECT_TRUE(store->held_locks()->empty());
  Guard moved = *std::move(held);
  Guard next = std::move(moved);
  moved.waive_at_least();  // NOLINT(bugprone-use-after-move): it holds nothing
}

TEST_P(AtLeast, ATimeOutOfRangeIsRefused) {
  for (const Duration wrong : {Duration{-1}, Duration(hours{24 * 366})}) {
    const AcquireResult refused = client.acquire("a", lock(wrong));
    ASSERT_NE(refused.error(), nullptr);
    EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
    EXPECT_THAT(refused.error()->detail(), HasSubstr("at_least"));
  }
}

}  // namespace
}  // namespace interlock
