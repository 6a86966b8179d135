#include "lock/inspect.hpp"

#include <gtest/gtest.h>

#include "interlock/memory/memory_backend.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/task.hpp"

namespace interlock::cli {
namespace {

constexpr milliseconds start{1'700'000'000'000};

class NoTime final : public TimeSource {
 public:
  TimePoint now() override { return {}; }
  bool park(PendingSleep&) override { return false; }
  void wake(PendingSleep&) override {}
};

class InspectLockTest : public testing::Test {
 protected:
  void claim(const OwnerToken& owner) {
    const auto claimed = run(claim_in(*store_, lock_, owner));
    ASSERT_TRUE(claimed);
    ASSERT_TRUE(std::holds_alternative<Claimed>(*claimed));
    granted_ = std::get<Claimed>(*claimed).fencing;
  }
  static Task<Result<ClaimReply>> claim_in(KeyValueStore& store, Key lock, OwnerToken owner) {
    co_return co_await store.claim(std::move(lock), std::move(owner), Ttl(milliseconds{30'000}));
  }
  void queue_up(const std::string& owner) {
    NoTime time;
    QueueLock lock(*store_, time);
    const auto outcome = run(lock.queue_up(*LockName::parse(lock_.text()), OwnerToken(owner),
                                           Ttl(milliseconds{30'000}), std::nullopt, Asks::first));
    ASSERT_TRUE(outcome && std::holds_alternative<Busy>(*outcome));
  }
  static Task<Result<std::monostate>> set_in(KeyValueStore& store, Key key, std::string value) {
    co_return co_await store.set(std::move(key), std::move(value));
  }

  milliseconds now_ = start;
  std::shared_ptr<Backend> backend_ = memory::backend([this] { return StoreTime(now_); });
  std::unique_ptr<KeyValueStore> store_ = backend_->open();
  Key lock_{"deploy"};
  FencingToken granted_;
};

TEST_F(InspectLockTest, SeesAFreeLock) {
  const auto view = inspect_lock(*store_, lock_);
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->holder);
  EXPECT_FALSE(view->holders_token());
}

TEST_F(InspectLockTest, SeesHowManyQueue) {
  claim(OwnerToken("il1:00:1@host/fair"));
  queue_up("il1:01:1@host/fair");
  queue_up("il1:02:1@host/fair");
  const auto view = inspect_lock(*store_, lock_);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->queued, 2U);
}

TEST_F(InspectLockTest, SeesHolderTokenAndTimes) {
  const OwnerToken owner("il1:00:1@host");
  claim(owner);
  now_ += milliseconds{4'000};
  const auto view = inspect_lock(*store_, lock_);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->holder, owner);
  EXPECT_EQ(view->holders_token(), granted_);
  EXPECT_EQ(view->held_for, milliseconds{4'000});
  EXPECT_EQ(view->remaining, milliseconds{26'000});
}

TEST_F(InspectLockTest, ShowsNoTokenForAForeignHolder) {
  claim(OwnerToken("il1:00:1@host"));
  ASSERT_TRUE(run(set_in(*store_, lock_, "theirs")));
  const auto view = inspect_lock(*store_, lock_);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->holder, OwnerToken("theirs"));
  EXPECT_FALSE(view->holders_token());
  EXPECT_FALSE(view->held_for);
  EXPECT_FALSE(view->remaining);
}

TEST_F(InspectLockTest, ForgetsAHolderWhoseLeaseHasEnded) {
  claim(OwnerToken("il1:00:1@host"));
  now_ += milliseconds{30'001};
  const auto view = inspect_lock(*store_, lock_);
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->holder);
  EXPECT_EQ(view->fencing, granted_);
}

TEST_F(InspectLockTest, SeesForHowLongTheStoreGrantsNothing) {
  const Quarantine quarantine(Ttl(std::chrono::seconds{60}), std::chrono::seconds{12});
  const auto left = [&] { return look_for_quarantine(*store_, quarantine).value(); };
  const auto note = [&](const std::string& text) {
    ASSERT_TRUE(run(set_in(*store_, incarnation_key(), text)));
  };
  EXPECT_EQ(left(), milliseconds{72'000}) << "the next request begins it";
  note("other 0 72000");
  EXPECT_EQ(left(), milliseconds{72'000}) << "the next request begins it";
  note("1 " + std::to_string((start + milliseconds{5'000}).count()) + " 72000");
  EXPECT_EQ(left(), milliseconds{5'000});
  now_ += milliseconds{5'000};
  EXPECT_EQ(left(), std::nullopt);
  EXPECT_EQ(look_for_quarantine(*store_, std::nullopt).value(), std::nullopt);
}

}  // namespace
}  // namespace interlock::cli
