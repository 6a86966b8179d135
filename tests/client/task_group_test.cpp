#include "task_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "blocking_calls.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

constexpr milliseconds moment{5};
constexpr std::chrono::hours long_time{1};

Task<void> sleep_until(EventLoop* loop, TimePoint until) {
  co_await loop->sleep_until(until);
}

Task<void> fail(EventLoop* loop) {
  co_await loop->sleep_until(loop->now() + moment);
  throw std::runtime_error("a handler threw");
}

TEST(TaskGroup, WaitsForAllOfItsTasksAndNoOthers) {
  EventLoop loop;
  TaskGroup group(loop);
  TaskGroup other(loop);
  for (int i = 0; i < 3; ++i) group.spawn(sleep_until(&loop, loop.now() + moment));
  group.wait();
  EXPECT_EQ(group.running(), 0);
  EXPECT_TRUE(other.wait_for(Duration::zero()));
}

TEST(TaskGroup, SaysThatATaskGoesOnWhenTheLimitHasPassed) {
  EventLoop loop;
  TaskGroup group(loop);
  std::atomic<bool> go_on = true;
  const auto spin = [](EventLoop* on, std::atomic<bool>* goes_on) -> Task<void> {
    while (*goes_on) co_await on->sleep_until(on->now() + moment);
  };
  group.spawn(spin(&loop, &go_on));
  EXPECT_FALSE(group.wait_for(moment));
  EXPECT_EQ(group.running(), 1);
  go_on = false;
  EXPECT_TRUE(group.wait_for(long_time));
}

TEST(TaskGroup, ATaskCountsUntilItsEndWasReported) {
  EventLoop loop;
  TaskGroup group(loop);
  int running_at_end = 0;
  bool has_thrown = false;
  group.spawn(fail(&loop), [&](const std::exception_ptr& thrown) {
    running_at_end = group.running();
    has_thrown = thrown != nullptr;
  });
  group.wait();
  EXPECT_EQ(running_at_end, 1);
  EXPECT_TRUE(has_thrown);
}

TEST(BlockingCalls, AreRefusedAndToldToEndFromTheCloseOn) {
  BlockingCalls calls;
  const BlockingCalls::Call before(calls);
  const std::stop_token close = calls.close_token();
  EXPECT_TRUE(before);
  EXPECT_FALSE(close.stop_requested());
  calls.begin_to_close();
  EXPECT_TRUE(close.stop_requested());
  const BlockingCalls::Call after(calls);
  EXPECT_FALSE(after);
}

TEST(BlockingCalls, MayReleaseUntilTheSecondStepOfTheClose) {
  BlockingCalls calls;
  calls.begin_to_close();
  EXPECT_TRUE(BlockingCalls::Call(calls).may_release());
  calls.close();
  EXPECT_FALSE(BlockingCalls::Call(calls).may_release());
}

TEST(BlockingCalls, AreWaitedForAsLongAsTheLimitSays) {
  BlockingCalls calls;
  std::atomic<bool> has_begun = false;
  std::atomic<bool> go_on = true;
  std::thread caller([&] {
    const BlockingCalls::Call call(calls);
    has_begun = true;
    EXPECT_TRUE(test::eventually([&] { return !go_on; }));
  });
  EXPECT_TRUE(test::eventually([&] { return has_begun.load(); }));
  calls.close();
  calls.wait(moment);
  EXPECT_TRUE(go_on);
  go_on = false;
  calls.wait(std::nullopt);
  caller.join();
}

}  // namespace
}  // namespace interlock
