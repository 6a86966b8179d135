#include "queued_waiters.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "manual_loop.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

const LockName a = *LockName::parse("a");
const LockName b = *LockName::parse("b");

// A caller that queues, and notes that it was roused.
class Caller {
 public:
  Caller(QueuedWaiters& waiters, const LockName& name) : queued_(waiters, name, cancellation_) {
    wait();
  }
  // Since it was asked last.
  bool was_roused() {
    wait();
    return std::exchange(roused_, false);
  }

 private:
  void wait() {
    waiting_.reset();
    waiting_.emplace(cancellation_.get(), [this] { roused_ = true; });
  }

  const std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  bool roused_ = false;
  std::optional<Cancellation::Waiting> waiting_;
  QueuedWaiters::QueuedCaller queued_;
};

class Queued : public ::testing::Test {
 protected:
  static constexpr Duration offer = seconds{1};
  static constexpr Duration slack = milliseconds{5};
  Queued() { waiters.begin(); }
  test::ManualLoop loop;
  QueuedWaiters waiters{loop, offer};
  const TimePoint began = loop.now();
};

TEST_F(Queued, TheFirstAsksAgainWhenTheOfferHasEnded) {
  Caller first(waiters, a);
  Caller second(waiters, a);
  waiters.recheck_after_offer(a, began);
  loop.run_until(began + offer);
  EXPECT_FALSE(first.was_roused());
  loop.run_until(began + offer + slack);
  EXPECT_TRUE(first.was_roused());
  EXPECT_FALSE(second.was_roused());
  loop.run_until(began + seconds{100});
  EXPECT_FALSE(first.was_roused());
}

TEST_F(Queued, AtTwoLocksEachAsksAfterItsOwnOffer) {
  Caller one(waiters, a);
  Caller other(waiters, b);
  waiters.recheck_after_offer(a, began);
  waiters.recheck_after_offer(b, began + milliseconds{500});
  loop.run_until(began + offer + slack);
  EXPECT_TRUE(one.was_roused());
  EXPECT_FALSE(other.was_roused());
  loop.run_until(began + offer + slack + milliseconds{500});
  EXPECT_FALSE(one.was_roused());
  EXPECT_TRUE(other.was_roused());
}

TEST_F(Queued, ALaterReleaseMovesTheTimeOn) {
  Caller caller(waiters, a);
  waiters.recheck_after_offer(a, began);
  waiters.recheck_after_offer(a, began + milliseconds{500});
  loop.run_until(began + offer + slack);
  EXPECT_FALSE(caller.was_roused());
  loop.run_until(began + offer + slack + milliseconds{500});
  EXPECT_TRUE(caller.was_roused());
}

TEST_F(Queued, NobodyWhoHasLeftAsksAgain) {
  EXPECT_FALSE(waiters.any(a));
  waiters.recheck_after_offer(a, began);
  EXPECT_EQ(loop.posted, 0);
  {
    const Caller caller(waiters, a);
    EXPECT_TRUE(waiters.any(a));
    waiters.recheck_after_offer(a, began);
  }
  EXPECT_FALSE(waiters.any(a));
  loop.run_until(began + seconds{9});
}

TEST_F(Queued, ALockIsBusyWhileSomebodyQueuesAndForASecondAfterItWasFoundBusy) {
  EXPECT_FALSE(waiters.is_busy(a, began));
  {
    const Caller caller(waiters, a);
    EXPECT_TRUE(waiters.is_busy(a, began));
    EXPECT_FALSE(waiters.is_busy(b, began));
  }
  EXPECT_FALSE(waiters.is_busy(a, began));
  waiters.found_busy(a, began);
  EXPECT_TRUE(waiters.is_busy(a, began + QueuedWaiters::busy_for - Duration{1}));
  EXPECT_FALSE(waiters.is_busy(a, began + QueuedWaiters::busy_for));
  EXPECT_FALSE(waiters.is_busy(b, began));
}

// A client remembers 256 names.
TEST_F(Queued, ManyLocksThatWereBusyOnceAreForgotten) {
  const auto numbered = [](int number) {
    return *LockName::parse("lock " + std::to_string(number));
  };
  for (int number = 0; number < 255; ++number) waiters.found_busy(numbered(number), began);
  waiters.found_busy(a, began + Duration{1});
  const TimePoint later = began + QueuedWaiters::busy_for;
  waiters.found_busy(b, later);
  EXPECT_FALSE(waiters.is_busy(numbered(0), began)) << "its time was over, and its place needed";
  EXPECT_FALSE(waiters.is_busy(numbered(254), began));
  EXPECT_TRUE(waiters.is_busy(a, later)) << "its time was not over";
  EXPECT_TRUE(waiters.is_busy(b, later));
}

}  // namespace
}  // namespace interlock
