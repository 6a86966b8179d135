// What counts as silence, by a clock that the test moves.
#include "patience.hpp"

#include <gtest/gtest.h>

namespace interlock::redis {
namespace {

using std::chrono::seconds;

// One timer, which fires as late as the test says.
class HandReactor final : public Reactor {
 public:
  // Moves on to when the timer is due, and beyond it.
  void fire(Duration late = Duration::zero()) {
    now_ = due_.value() + late;
    due_.reset();
    const auto fired = fired_;
    fired();
  }
  void pass(Duration time) { now_ += time; }
  bool is_armed() const { return due_.has_value(); }

  Result<std::unique_ptr<Watch>> watch(int, std::function<void(bool, bool)>) override {
    return std::unique_ptr<Watch>();
  }
  std::unique_ptr<Timer> timer(std::function<void()> fired) override {
    class HandTimer final : public Timer {
     public:
      explicit HandTimer(HandReactor& reactor) : reactor_(reactor) {}
      ~HandTimer() override { disarm(); }
      HandTimer(const HandTimer&) = delete;
      HandTimer& operator=(const HandTimer&) = delete;
      void arm(Duration delay) override { reactor_.due_ = reactor_.now_ + delay; }
      void disarm() override { reactor_.due_.reset(); }

     private:
      HandReactor& reactor_;
    };
    fired_ = std::move(fired);
    return std::make_unique<HandTimer>(*this);
  }
  void post(std::function<void()>) override {}
  TimePoint now() override { return now_; }

 private:
  TimePoint now_{seconds{1000}};
  std::optional<TimePoint> due_;
  std::function<void()> fired_;
};

class PatienceOfASecond : public ::testing::Test {
 protected:
  void fire_until_run_out() {
    while (!run_out_ && reactor_.is_armed()) reactor_.fire();
  }
  Duration since_begin() { return reactor_.now() - begin_; }

  HandReactor reactor_;
  TimePoint begin_ = reactor_.now();
  std::optional<Duration> oldest_;
  bool run_out_ = false;
  Patience patience_{reactor_, seconds{1}, [this] { return oldest_; }, [this] { run_out_ = true; }};
};

TEST_F(PatienceOfASecond, RunsOutAfterASecond) {
  oldest_ = patience_.deadline();
  fire_until_run_out();
  EXPECT_TRUE(run_out_);
  EXPECT_EQ(since_begin(), seconds{1});
}

TEST_F(PatienceOfASecond, CountsForEachFromItsOwnBegin) {
  oldest_ = patience_.deadline();
  reactor_.fire();
  reactor_.pass(milliseconds{25});
  const TimePoint second_begin = reactor_.now();
  oldest_ = patience_.deadline();
  fire_until_run_out();
  EXPECT_EQ(reactor_.now() - second_begin, seconds{1});
}

TEST_F(PatienceOfASecond, ThatTimersAreALittleLateCounts) {
  oldest_ = patience_.deadline();
  while (!run_out_) reactor_.fire(milliseconds{20});
  EXPECT_LT(since_begin(), milliseconds{1'100});
}

// In which step ever this process did not run for an hour: then it listens again.
TEST_F(PatienceOfASecond, OwnAbsenceIsNoSilence) {
  for (int steps_before : {0, 3, 7}) {
    run_out_ = false;
    oldest_ = patience_.deadline();
    for (int step = 0; step < steps_before; ++step) reactor_.fire();
    reactor_.fire(std::chrono::hours{1});
    EXPECT_FALSE(run_out_) << "after " << steps_before;
    const TimePoint back = reactor_.now();
    fire_until_run_out();
    EXPECT_TRUE(run_out_);
    EXPECT_GE(reactor_.now() - back, milliseconds{60});
    EXPECT_LE(reactor_.now() - back, seconds{1});
  }
}

TEST_F(PatienceOfASecond, WhoIsAlwaysLateComesToAnEnd) {
  oldest_ = patience_.deadline();
  while (!run_out_) reactor_.fire(milliseconds{200});
  EXPECT_LE(since_begin(), seconds{10});
}

TEST_F(PatienceOfASecond, LooksNoMoreWhenNothingIsAwaited) {
  oldest_ = patience_.deadline();
  reactor_.fire();
  oldest_.reset();
  reactor_.fire();
  EXPECT_FALSE(reactor_.is_armed());
  // And a pause in between is not counted for what comes after.
  reactor_.pass(std::chrono::hours{1});
  begin_ = reactor_.now();
  oldest_ = patience_.deadline();
  fire_until_run_out();
  EXPECT_EQ(since_begin(), seconds{1});
}

TEST(Patience, MayBeDestroyedByItsEnd) {
  HandReactor reactor;
  std::optional<Patience> patience;
  std::optional<Duration> oldest;
  bool run_out = false;
  patience.emplace(
      reactor, seconds{1}, [&] { return oldest; },
      [&patience, &run_out] {
        patience.reset();
        run_out = true;
      });
  oldest = patience->deadline();
  while (!run_out) reactor.fire();
  EXPECT_FALSE(reactor.is_armed());
}

}  // namespace
}  // namespace interlock::redis
