// Waiters in a queue as real processes: who is killed or stopped costs the others no more than is
// promised.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <stop_token>
#include <thread>

#include "interlock/local_clock.hpp"
#include "suite/world.hpp"

namespace interlock::test {
namespace {

using std::chrono::seconds;

const std::string lock = "deploy";
const std::string fair = lock + ":fair";

// How much longer than it should this machine let a thread sleep: what else runs on it is no fault
// of a lock's.
class Stalls {
 public:
  Stalls() : thread_([this](const std::stop_token& stop) { measure(stop); }) {}
  Duration longest() const { return Duration(longest_.load()); }

 private:
  void measure(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const TimePoint before = local_now();
      std::this_thread::sleep_for(milliseconds{2});
      const Duration late = local_now() - before - milliseconds{2};
      longest_ = std::max(longest_.load(), late.count());
    }
  }
  std::atomic<Duration::rep> longest_ = 0;
  std::jthread thread_;
};

class QueueOfProcesses : public testing::Test {
 protected:
  static WorldSettings nobody(Ttl ttl) {
    WorldSettings settings;
    settings.workers = 0;
    settings.ttl = ttl;
    return settings;
  }
  // In its section, which lasts.
  Worker& holder(World& world) {
    Worker& worker = world.add(fair);
    worker.tell_sections_to_last(true);
    EXPECT_TRUE(world.comes_true([&] { return world.history().is_inside(worker.number()); }));
    return worker;
  }
  // At the end of the queue.
  Worker& waiter(World& world) {
    const std::size_t before = world.queued(lock);
    Worker& worker = world.add(fair);
    EXPECT_TRUE(world.comes_true([&] { return world.queued(lock) == before + 1; }));
    return worker;
  }
  // The worker that enters next, and when.
  std::pair<int, TimePoint> next(World& world) {
    const std::size_t before = world.history().sections().size();
    EXPECT_TRUE(world.comes_true([&] { return world.history().sections().size() > before; }));
    if (world.history().sections().size() == before) return {0, TimePoint::max()};
    const Section& section = world.history().sections()[before];
    return {section.worker, section.entered};
  }
  static void expect_within(Duration limit, TimePoint since, TimePoint at, const Stalls& stalls) {
    const auto ms = [](Duration length) {
      return static_cast<long long>(std::chrono::duration_cast<milliseconds>(length).count());
    };
    std::printf("  after %lld of %lld ms; this machine stalled for up to %lld ms\n", ms(at - since),
                ms(limit), ms(stalls.longest()));
    EXPECT_LE(at - since, limit + 4 * stalls.longest());
  }
  // All who live have their turn, and all was as it should be.
  static void expect_good_end(World& world, TimePoint since) {
    EXPECT_TRUE(world.comes_true(
        [&] { return world.history().everybody_entered_since(lock, since); }, seconds{60}));
    EXPECT_EQ(world.finish(), "");
    EXPECT_EQ(to_string(world.history().check()), "");
  }
};

TEST_F(QueueOfProcesses, TheFirstLivingOfSixtyFourEntersSoonAfterTheLeaseOfAKilledHolder) {
  World world{nobody(Ttl(seconds{2}))};
  Worker& first = holder(world);
  Worker& second = waiter(world);
  Worker& third = waiter(world);
  for (int more = 0; more < 62; ++more) world.add(fair);
  ASSERT_TRUE(world.comes_true([&] { return world.queued(lock) == 64; }));
  const Stalls stalls;
  second.kill();
  world.history().end(second.number());
  const TimePoint killed = local_now();
  first.kill();
  world.history().end(first.number());
  const auto [worker, entered] = next(world);
  EXPECT_EQ(worker, third.number());
  expect_within(seconds{2} + milliseconds{500}, killed, entered, stalls);
  expect_good_end(world, killed);
}

TEST_F(QueueOfProcesses, AKilledWaiterAtTheHeadDelaysTheRestByAClaimWindowAtMost) {
  World world{nobody(Ttl(seconds{20}))};
  Worker& first = holder(world);
  Worker& second = waiter(world);
  Worker& third = waiter(world);
  waiter(world);
  const Stalls stalls;
  second.kill();
  world.history().end(second.number());
  const TimePoint told = local_now();
  first.tell_sections_to_last(false);
  const auto [worker, entered] = next(world);
  EXPECT_EQ(worker, third.number());
  expect_within(milliseconds{600}, told, entered, stalls);
  expect_good_end(world, told);
}

TEST_F(QueueOfProcesses, WhoWaitedWhenTheServerWasRestartedEmptyHasItsTurn) {
  World world{nobody(Ttl(seconds{2}))};
  Worker& first = holder(world);
  for (int more = 0; more < 12; ++more) world.add(fair);
  ASSERT_TRUE(world.comes_true([&] { return world.queued(lock) == 12; }));
  const TimePoint killed = local_now();
  world.server().kill();
  world.server().start_without_data();
  const Window window(killed, local_now());
  first.tell_sections_to_last(false);
  world.history().forfeit(window);
  world.history().allow_losses(window);
  world.history().allow_failures(Window(killed, killed + seconds{5}), Errc::unavailable);
  world.history().allow_failures(Window(killed, killed + seconds{5}), Errc::indeterminate);
  expect_good_end(world, killed);
}

// A client as there are many: SET NX PX, and DEL when it is done.
TEST_F(QueueOfProcesses, AForeignClientMixesInAndIsExcluded) {
  World world{nobody(Ttl(seconds{2}))};
  world.add(fair);
  world.add(fair);
  std::vector<Window> foreign;
  int refused = 0;
  const bool both = world.comes_true([&] {
    if (world.command({"SET", lock, "foreign", "NX", "PX", "10000"}) != "OK") {
      ++refused;
      return false;
    }
    const TimePoint entered = local_now();
    world.pass(milliseconds{30});
    foreign.emplace_back(entered, local_now());
    world.command({"DEL", lock});
    return foreign.size() >= 10 && refused >= 10 && world.history().sections().size() >= 10;
  });
  EXPECT_TRUE(both) << foreign.size() << " foreign sections, " << refused << " refusals";
  expect_good_end(world, local_now());
  for (const Section& section : world.history().sections()) {
    for (const Window& other : foreign) {
      EXPECT_FALSE(other.meets(section.entered, section.valid_until())) << section.fencing;
    }
  }
}

}  // namespace
}  // namespace interlock::test
