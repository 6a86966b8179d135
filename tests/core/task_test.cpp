#include "interlock/task.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/store/key_value_store.hpp"
#include "scripted_world.hpp"

namespace interlock {
namespace {

using scripted::FakeTime;

// Says when it dies: for frames that are destroyed half-way.
class Witness {
 public:
  explicit Witness(int* deaths) : deaths_(deaths) {}
  Witness(Witness&& other) noexcept : deaths_(std::exchange(other.deaths_, nullptr)) {}
  ~Witness() {
    if (deaths_ != nullptr) ++*deaths_;
  }

 private:
  int* deaths_;
};

Task<int> answer(int value) {
  co_return value;
}

Task<int> sum_of(int first, int second) {
  const int one = co_await answer(first);
  const int two = co_await answer(second);
  co_return one + two;
}

Task<void> note(std::vector<int>* notes, int value) {
  notes->push_back(value);
  co_return;
}

Task<std::unique_ptr<int>> owned(int value) {
  co_return std::make_unique<int>(value);
}

Task<void> nap(FakeTime* time, Duration length, Witness witness) {
  const Witness kept = std::move(witness);
  co_await time->sleep_until(time->now() + length);
}

Task<int> nap_inside(FakeTime* time, int depth, Witness witness) {
  const Witness kept = std::move(witness);
  if (depth == 0) {
    co_await time->sleep_until(time->now() + Duration{1});
    co_return 0;
  }
  const int below = co_await nap_inside(time, depth - 1, Witness(nullptr));
  co_return below + 1;
}

TEST(Task, RunsNothingUntilItIsStarted) {
  std::vector<int> notes;
  auto task = note(&notes, 1);
  EXPECT_TRUE(notes.empty());
  EXPECT_FALSE(task.done());
  task.start();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(notes, std::vector<int>{1});
}

TEST(Task, GivesWhatTheTasksItAwaitsGive) {
  EXPECT_EQ(run(sum_of(3, 4)), 7);
}

TEST(Task, CarriesAResultThatCanOnlyBeMoved) {
  EXPECT_EQ(*run(owned(17)), 17);
}

TEST(Task, StopsWhereItWaitsAndGoesOnFromThere) {
  FakeTime time;
  int deaths = 0;
  auto task = nap(&time, milliseconds{5}, Witness(&deaths));
  task.start();
  EXPECT_FALSE(task.done());
  time.advance(milliseconds{4});
  EXPECT_FALSE(task.done());
  time.advance(milliseconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(deaths, 1);
}

TEST(Task, CanBeMovedWhileItWaits) {
  FakeTime time;
  int deaths = 0;
  auto first = nap(&time, milliseconds{5}, Witness(&deaths));
  first.start();
  auto second = std::move(first);
  time.advance(milliseconds{5});
  EXPECT_TRUE(second.done());
  EXPECT_EQ(deaths, 1);
}

TEST(Task, DestroysWhatItReplaces) {
  FakeTime time;
  int first_deaths = 0;
  int second_deaths = 0;
  {
    auto task = nap(&time, milliseconds{5}, Witness(&first_deaths));
    task = nap(&time, milliseconds{5}, Witness(&second_deaths));
    EXPECT_EQ(first_deaths, 1);
    EXPECT_EQ(second_deaths, 0);
    auto& same = task;
    task = std::move(same);
    EXPECT_EQ(second_deaths, 0);
  }
  EXPECT_EQ(second_deaths, 1);
}

class SilentStore final : public KeyValueStore {
  Submitted submit(PendingOperation&) override { return Submitted::pending; }
};
Task<Result<bool>> ask(KeyValueStore* store) {
  const std::string value = "v";
  co_return co_await store->set_if_absent(Key("k"), value);
}

TEST(Task, StartedOnceMoreWhileItWaitsForAStoreSaysWhatToDo) {
  SilentStore store;
  Task<Result<bool>> asking = ask(&store);
  asking.start();
  ASSERT_FALSE(asking.done());
  asking.start();
  ASSERT_TRUE(asking.done());
  const Result<bool> told = asking.take();
  ASSERT_TRUE(failed_with(told, Errc::indeterminate));
  EXPECT_EQ(told.error().detail(),
            "the task went on before the store had answered: it was started more than once: await "
            "each task once, and none after Task::start()");
}

TEST(Task, ThatNeverRanDestroysItsArguments) {
  FakeTime time;
  int deaths = 0;
  { auto task = nap(&time, milliseconds{5}, Witness(&deaths)); }
  EXPECT_EQ(deaths, 1);
}

Task<int> outer(FakeTime* time, Witness mine, Witness inner) {
  const Witness kept = std::move(mine);
  const int depth = co_await nap_inside(time, 3, std::move(inner));
  co_return depth;
}

TEST(Task, DestroyedHalfWayRunsTheDestructorsOfEveryFrameItAwaits) {
  FakeTime time;
  int outer_deaths = 0;
  int inner_deaths = 0;
  {
    auto task = outer(&time, Witness(&outer_deaths), Witness(&inner_deaths));
    task.start();
    EXPECT_EQ(outer_deaths + inner_deaths, 0);
  }
  EXPECT_EQ(outer_deaths, 1);
  EXPECT_EQ(inner_deaths, 1);
}

TEST(Task, NestedThroughManyFramesComesBackThroughAllOfThem) {
  FakeTime time;
  auto task = nap_inside(&time, 500, Witness(nullptr));
  task.start();
  time.advance(Duration{1});
  EXPECT_EQ(task.take(), 500);
}

Task<std::int64_t> count_to(std::int64_t limit) {
  std::int64_t sum = 0;
  for (std::int64_t each = 0; each < limit; ++each) sum += co_await answer(1);
  co_return sum;
}

TEST(Task, AwaitedAMillionTimesInALoopDoesNotGrowTheStack) {
  EXPECT_EQ(run(count_to(1'000'000)), 1'000'000);
}

Task<int> one_nap(FakeTime* time) {
  co_await time->sleep_until(time->now() + Duration{1});
  co_return 1;
}

Task<int> many_naps(FakeTime* time, int count) {
  int sum = 0;
  for (int each = 0; each < count; ++each) sum += co_await one_nap(time);
  co_return sum;
}

TEST(Task, ThatWaitsAHundredThousandTimesDoesNotGrowTheStack) {
  FakeTime time;
  auto task = many_naps(&time, 100'000);
  task.start();
  time.advance(Duration{100'000});
  EXPECT_EQ(task.take(), 100'000);
}

Task<int> fail(std::string with, Witness witness) {
  const Witness kept = std::move(witness);
  throw std::runtime_error(with);
  co_return 0;
}

Task<void> fail_after_a_nap(FakeTime* time) {
  co_await time->sleep_until(time->now() + Duration{1});
  throw std::runtime_error("after a nap");
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(Task, ThrowsWhereItsResultIsTakenAndDestroysItsFrameAsUsual) {
  int deaths = 0;
  auto task = fail("thrown", Witness(&deaths));
  EXPECT_NO_THROW(task.start());
  EXPECT_TRUE(task.done());
  EXPECT_EQ(deaths, 1);
  EXPECT_NE(task.thrown(), nullptr);
  EXPECT_EQ(message_of([&] { static_cast<void>(task.take()); }), "thrown");
  EXPECT_EQ(message_of([] { static_cast<void>(run(fail("run", Witness(nullptr)))); }), "run");
}

TEST(Task, ThatThrewNothingSaysSo) {
  auto task = answer(1);
  task.start();
  EXPECT_EQ(task.thrown(), nullptr);
}

Task<std::string> caught(FakeTime* time) {
  std::string all;
  try {
    const int never = co_await fail("at once", Witness(nullptr));
    all = std::to_string(never);
  } catch (const std::runtime_error& error) {
    all = error.what();
  }
  try {
    co_await fail_after_a_nap(time);
  } catch (const std::runtime_error& error) {
    all += std::string(", ") + error.what();
  }
  co_return all;
}

TEST(Task, AnExceptionComesOutOfTheAwaitBeforeAndAfterASuspension) {
  FakeTime time;
  auto task = caught(&time);
  task.start();
  time.advance(Duration{1});
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.take(), "at once, after a nap");
}

TEST(TaskDeathTest, AskedForAResultThatItDoesNotHaveYetEndsTheProcess) {
  FakeTime time;
  auto task = one_nap(&time);
  task.start();
  EXPECT_DEATH(static_cast<void>(task.take()), "broken invariant");
}

// The task is resumed as if what it waits for had answered.
TEST(TaskDeathTest, AwaitedWhileItWaitsEndsTheProcess) {
  FakeTime time;
  const auto outer = [](FakeTime* of) -> Task<int> { co_return co_await one_nap(of); };
  const auto begins_twice = [&]() -> Task<int> {
    Task<int> task = outer(&time);
    task.start();
    co_return co_await task;
  };
  auto twice = begins_twice();
  EXPECT_DEATH(twice.start(), "interlock: misuse: a task is awaited while it waits: .*: begin it");
}

TEST(FakeTime, RunsSleepsInTheOrderOfTheirInstants) {
  FakeTime time;
  std::vector<int> order;
  time.at(time.now() + Duration{2}, [&] { order.push_back(2); });
  time.at(time.now() + Duration{1}, [&] { order.push_back(1); });
  time.at(time.now() + Duration{2}, [&] { order.push_back(3); });
  time.advance(Duration{2});
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(FakeTime, DoesNotParkWhatIsDueAndWakesNobodyTwice) {
  FakeTime time;
  int deaths = 0;
  auto due = nap(&time, Duration{0}, Witness(&deaths));
  due.start();
  EXPECT_TRUE(due.done());

  class Sleep : public PendingSleep {
   public:
    using PendingSleep::PendingSleep;
  };
  Sleep stranger(time.now() + Duration{5});
  time.wake(stranger);
  time.settle();
  EXPECT_EQ(time.sleepers(), 0u);
}

}  // namespace
}  // namespace interlock
