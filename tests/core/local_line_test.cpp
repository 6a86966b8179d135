// What LocalLines and LineClient do in what the search cannot see: a thread that is woken late.
#include "interlock/local_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace interlock {
namespace {

using std::chrono::seconds;
using Turn = LineWaiter::Turn;

const LockName name = *LockName::parse("deploy");
const Ttl ttl(seconds{10});

// Time stands still until somebody moves it; sleeps end when the test says so.
class ManualTime final : public TimeSource {
 public:
  TimePoint now() override { return now_; }
  bool park(PendingSleep& sleep) override {
    asleep_.push_back(&sleep);
    return true;
  }
  void wake(PendingSleep&) override {}

  void pass(Duration time) { now_ += time; }
  void wake_all() {
    const std::vector<PendingSleep*> asleep = std::exchange(asleep_, {});
    for (PendingSleep* sleep : asleep) sleep->resume();
  }

 private:
  TimePoint now_{seconds{100}};
  std::vector<PendingSleep*> asleep_;
};

// Whoever asks is granted at once.
class Asker final : public LineWaiter {
 public:
  Asker(ManualTime& time, const std::string& token, Ttl lasts = ttl)
      : LineWaiter(lasts, nullptr), time_(time), owner_(token), lasts_(lasts) {}
  void call() override { ++called; }
  Task<Result<AcquireOutcome>> ask(LockName of, AcquireOptions) override {
    ++asked;
    co_return AcquireOutcome(
        Lease(of, owner_, FencingToken(100), lasts_, time_.now(), SafetyMargin(), 3));
  }
  Task<Result<ReleaseOutcome>> give_back(Lease lease) override {
    given_back.push_back(lease.owner().text());
    co_return ReleaseOutcome::released;
  }
  int called = 0;
  int asked = 0;
  std::vector<std::string> given_back;

 private:
  ManualTime& time_;
  OwnerToken owner_;
  Ttl lasts_;
};

class LocalLine : public ::testing::Test {
 protected:
  static constexpr Duration within = milliseconds{2100};
  Task<Result<AcquireOutcome>> acquire(const std::shared_ptr<Asker>& waiter) {
    return client.acquire(waiter, name, AcquireOptions(ttl));
  }
  static HandOverPolicy policy() {
    HandOverPolicy policy;
    policy.sections = 3;
    policy.within = within;
    return policy;
  }
  ManualTime time;
  LocalLines lines{policy()};
  LineClient client{lines, time};
  std::shared_ptr<Asker> first = std::make_shared<Asker>(time, "first");
  std::shared_ptr<Asker> second = std::make_shared<Asker>(time, "second");
};

TEST_F(LocalLine, WhatIsHandedOverHasTheNextTokenAndTheSameEnd) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_EQ(lines.turn_of(*second), Turn::waits);
  time.pass(seconds{2});
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(second->called, 1);
  time.wake_all();
  ASSERT_TRUE(waits.done());
  const Lease handed = std::get<Lease>(*waits.take());
  EXPECT_EQ(handed.fencing(), FencingToken(101));
  EXPECT_EQ(handed.owner(), lease.owner());
  EXPECT_EQ(handed.certain_until(), lease.certain_until());
  EXPECT_TRUE(first->given_back.empty());
  EXPECT_EQ(second->asked, 0);
}

// The last instant minus such a one is more than a duration can be: the sanitizer tells.
TEST_F(LocalLine, AWaitWithoutALimitGoesOnWhileTheClockIsBelowZero) {
  time.pass(-seconds{200});
  ASSERT_LT(time.now(), TimePoint());
  static_cast<void>(run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_FALSE(waits.done());
  EXPECT_EQ(second->asked, 0);
  EXPECT_EQ(lines.turn_of(*second), Turn::waits);
  static_cast<void>(lines.pass_on(name));
  time.wake_all();
  EXPECT_TRUE(waits.done());
}

TEST_F(LocalLine, WhoIsWokenTooLateGivesBackAndAsksTheStore) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  time.pass(seconds{11});
  time.wake_all();
  ASSERT_TRUE(waits.done());
  const Lease own = std::get<Lease>(*waits.take());
  EXPECT_EQ(own.owner(), OwnerToken("second"));
  EXPECT_EQ(own.sent(), time.now());
  EXPECT_EQ(second->given_back, std::vector<std::string>{"first"});
  EXPECT_TRUE(client.in_line(*second));
}

TEST_F(LocalLine, ANewLeaseIsNotHandedOverAfterItsShareHasPassed) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  time.pass(seconds{3});  // a quarter of ten seconds, less the safety margin, is less
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(first->given_back, std::vector<std::string>{"first"});
  time.wake_all();
  ASSERT_TRUE(waits.done());
  EXPECT_EQ(second->asked, 1);
}

TEST_F(LocalLine, OtherProcessesWaitNoLongerThanThePolicySays) {
  for (const Duration passes : {within - Duration{1}, within}) {
    const Lease lease = std::get<Lease>(*run(acquire(first)));
    Task<Result<AcquireOutcome>> waits = acquire(second);
    waits.start();
    time.pass(passes);
    EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
    EXPECT_EQ(first->given_back.size(), passes == within ? 1U : 0U);
    time.wake_all();
    ASSERT_TRUE(waits.done());
    EXPECT_EQ(*run(client.release(second, std::get<Lease>(*waits.take()))),
              ReleaseOutcome::released);
    first = std::make_shared<Asker>(time, "first");
    second = std::make_shared<Asker>(time, "second");
  }
}

TEST_F(LocalLine, ASpuriousWakeUpChangesNothing) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  time.wake_all();
  EXPECT_FALSE(waits.done());
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  time.wake_all();
  EXPECT_TRUE(waits.done());
}

}  // namespace
}  // namespace interlock
