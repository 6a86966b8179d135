#include "interlock/event_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "interlock/local_clock.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

void run_on(EventLoop& loop, const std::function<void()>& job) {
  std::promise<void> done;
  loop.post([&] {
    job();
    done.set_value();
  });
  done.get_future().get();
}

void finish(EventLoop& loop, Task<void> task) {
  std::promise<void> done;
  loop.spawn(std::move(task), [&](const std::exception_ptr&) { done.set_value(); });
  done.get_future().get();
}

TEST(EventLoop, RunsPostedJobsInOrderOnItsOwnThread) {
  EventLoop loop;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    loop.post([&, i] {
      EXPECT_TRUE(loop.on_loop_thread());
      order.push_back(i);
    });
  }
  run_on(loop, [] {});
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_FALSE(loop.on_loop_thread());
}

void post_in_turn(EventLoop* loop, int left, std::promise<void>* done) {
  if (left == 0) return done->set_value();
  loop->post([=] { post_in_turn(loop, left - 1, done); });
}

TEST(EventLoop, RunsWhatJobsAndTimersPostThoughNothingElseWakesIt) {
  EventLoop loop;
  std::promise<void> jobs_done;
  loop.post([&] { post_in_turn(&loop, 100, &jobs_done); });
  jobs_done.get_future().get();

  std::promise<void> timer_done;
  std::unique_ptr<Reactor::Timer> timer;
  loop.post([&] {
    timer = loop.timer([&] { post_in_turn(&loop, 2, &timer_done); });
    timer->arm(milliseconds{1});
  });
  timer_done.get_future().get();
  run_on(loop, [&] { timer.reset(); });
}

TEST(EventLoop, AcceptsJobsFromManyThreads) {
  std::atomic<int> count = 0;
  {
    EventLoop loop;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) loop.post([&] { ++count; });
      });
    }
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(count, 4000);
}

Task<void> sleep_and_note(EventLoop* loop, milliseconds delay, std::vector<int>* order, int id) {
  co_await loop->sleep_until(loop->now() + delay);
  order->push_back(id);
}

TEST(EventLoop, EndsSleepsInTheOrderOfTheirInstants) {
  std::vector<int> order;
  std::atomic<int> ended = 0;
  EventLoop loop;
  const int delays[] = {30, 10, 20, 0};
  for (const int delay : delays) {
    loop.spawn(sleep_and_note(&loop, milliseconds(delay), &order, delay),
               [&](const std::exception_ptr&) { ++ended; });
  }
  while (ended < 4) std::this_thread::yield();
  EXPECT_THAT(order, ElementsAre(0, 10, 20, 30));
}

Task<void> sleep_not_before(EventLoop* loop, milliseconds delay) {
  const TimePoint until = loop->now() + delay;
  co_await loop->sleep_until(until);
  EXPECT_GE(loop->now(), until);
}

Task<void> sleep_with_slack(
    EventLoop* loop, TimePoint until, Duration slack, std::vector<int>* order, int id) {
  TimeSource::SleepAwaiter nap(*loop, until, slack);
  co_await nap;
  EXPECT_GE(loop->now(), until - slack);
  order->push_back(id);
}

TEST(EventLoop, EndsSleepsThatHaveSlackTogetherAndNotSooner) {
  constexpr milliseconds slack{40};
  std::vector<int> order;
  std::atomic<int> ended = 0;
  EventLoop loop;
  // Far enough away that all are parked before.
  const TimePoint soon = loop.now() + milliseconds(500);
  const TimePoint multiple = soon - soon.time_since_epoch() % slack;
  const auto sleep = [&](milliseconds after, Duration with, int id) {
    const TimePoint until = multiple + after;
    loop.spawn(sleep_with_slack(&loop, until, with, &order, id),
               [&](const std::exception_ptr&) { ++ended; });
  };
  sleep(milliseconds(1), Duration::zero(), 3);
  sleep(milliseconds(30), slack, 1);
  sleep(milliseconds(20), slack, 2);
  sleep(milliseconds(2), Duration::zero(), 4);
  while (ended < 4) std::this_thread::yield();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
}

TEST(EventLoop, NeverEndsASleepEarly) {
  EventLoop loop;
  for (int i = 0; i < 20; ++i) finish(loop, sleep_not_before(&loop, milliseconds(1)));
}

Task<void> sleep_long(EventLoop* loop, PendingSleep** parked) {
  TimeSource::SleepAwaiter nap = loop->sleep_until(loop->now() + seconds(1000));
  *parked = &nap;
  co_await nap;
}

TEST(EventLoop, WakesASleeperEarlyAndOnlyOnce) {
  EventLoop loop;
  PendingSleep* parked = nullptr;
  std::promise<void> ended;
  loop.spawn(sleep_long(&loop, &parked), [&](const std::exception_ptr&) { ended.set_value(); });
  run_on(loop, [&] {
    loop.wake(*parked);
    loop.wake(*parked);
  });
  ended.get_future().get();
}

TEST(EventLoop, FiresATimerOnceAndNotAfterDisarming) {
  EventLoop loop;
  int fired = 0;
  int never = 0;
  std::promise<void> done;
  std::unique_ptr<Reactor::Timer> timer;
  std::unique_ptr<Reactor::Timer> disarmed;
  run_on(loop, [&] {
    disarmed = loop.timer([&] { ++never; });
    disarmed->arm(milliseconds(1));
    disarmed->disarm();
    timer = loop.timer([&] {
      if (++fired == 3) {
        timer.reset();  // from inside its own callback
        done.set_value();
      } else {
        timer->arm(milliseconds(1));
      }
    });
    timer->arm(milliseconds(1));
  });
  done.get_future().get();
  run_on(loop, [&] { disarmed.reset(); });
  EXPECT_EQ(fired, 3);
  EXPECT_EQ(never, 0);
}

TEST(EventLoop, TellsWhenADescriptorIsReadableUntilTheWatchIsGone) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  EventLoop loop;
  std::unique_ptr<Reactor::Watch> watch;
  std::string heard;
  std::promise<void> done;
  run_on(loop, [&] {
    watch = *loop.watch(channel[0], [&](bool readable, bool) {
      ASSERT_TRUE(readable);
      char byte = 0;
      ASSERT_EQ(read(channel[0], &byte, 1), 1);
      heard += byte;
      if (heard == "ab") {
        watch.reset();  // from inside its own callback
        done.set_value();
      }
    });
    watch->interest(true, false);
  });
  ASSERT_EQ(write(channel[1], "abc", 3), 3);
  done.get_future().get();
  run_on(loop, [] {});
  EXPECT_EQ(heard, "ab");
  close(channel[0]);
  close(channel[1]);
}

}  // namespace
}  // namespace interlock
