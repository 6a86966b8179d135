// The client over the memory store: its threads, its loop and its timers are the real ones.
#include "interlock/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "interlock/local_clock.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "silent_store.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using interlock::testing::SilentBackend;
using std::chrono::seconds;
using test::eventually;
using ::testing::HasSubstr;

LockOptions with_ttl(milliseconds ttl) {
  return LockOptions(Ttl(ttl));
}

class Recorder : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    const std::lock_guard lock(mutex_);
    kinds_.push_back(event.kind);
  }
  auto count(EventKind kind) const {
    const std::lock_guard lock(mutex_);
    return std::count(kinds_.begin(), kinds_.end(), kind);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<EventKind> kinds_;
};

TEST(Client, GrantsAFreeLockAndReleasesItAtTheEndOfTheScope) {
  const auto store = memory::backend();
  Client client(store);
  {
    AcquireResult lock = client.acquire("orders/42");
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_EQ(lock->name().text(), "orders/42");
    EXPECT_EQ(lock->state(), LeaseState::held);
    EXPECT_TRUE(lock->valid_for(seconds(20)));
    EXPECT_GT(lock->fencing().value(), 0U);
    EXPECT_EQ(store->held_locks()->size(), 1U);
  }
  EXPECT_EQ(store->held_locks()->size(), 0U);
}

TEST(Client, TellsWhoHoldsALockThatIsTaken) {
  Client client(memory::backend());
  const AcquireResult held = client.acquire("a");
  AcquireResult refused = client.try_acquire("a");
  EXPECT_FALSE(refused);
  ASSERT_NE(refused.busy(), nullptr);
  EXPECT_TRUE(refused.busy()->holder.announces_release());
  EXPECT_THAT(refused.why_not(), HasSubstr(" pid " + std::to_string(getpid())));
}

TEST(Client, RefusesABadNameWithoutAskingTheStore) {
  Client client(memory::backend());
  const AcquireResult refused = client.acquire("");
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
}

TEST(Client, FencingTokensGrowFromGrantToGrant) {
  Client client(memory::backend());
  FencingToken last;
  for (int i = 0; i < 100; ++i) {
    AcquireResult lock = client.acquire("a");
    ASSERT_TRUE(lock);
    EXPECT_GT(lock->fencing(), last);
    last = lock->fencing();
  }
}

TEST(Client, AReleaseWakesTheThreadThatWaits) {
  Client client(memory::backend());
  std::optional<AcquireResult> held(client.acquire("a"));
  std::atomic<bool> entered = false;
  std::thread waiter([&] {
    AcquireResult lock = client.acquire("a");
    EXPECT_TRUE(lock) << lock.why_not();
    entered = true;
  });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(entered);
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  waiter.join();
  EXPECT_TRUE(entered);
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::not_holder);
}

TEST(Client, StopsWaitingAtTheLimit) {
  Client client(memory::backend());
  const AcquireResult held = client.acquire("a");
  const TimePoint began = local_now();
  LockOptions limited;
  limited.wait = milliseconds(30);
  const AcquireResult refused = client.acquire("a", limited);
  EXPECT_NE(refused.busy(), nullptr);
  EXPECT_GE(local_now() - began, milliseconds(30));
}

TEST(Client, AStopTokenEndsTheWait) {
  Client client(memory::backend());
  const AcquireResult held = client.acquire("a");
  std::stop_source stop;
  std::thread canceller([&] {
    std::this_thread::sleep_for(milliseconds(20));
    stop.request_stop();
  });
  LockOptions options;
  options.stop = stop.get_token();
  const AcquireResult cancelled = client.acquire("a", options);
  canceller.join();
  ASSERT_NE(cancelled.error(), nullptr);
  EXPECT_EQ(cancelled.error()->code(), Errc::cancelled);
}

TEST(Client, KeepsALockFarBeyondItsTtl) {
  Recorder events;
  ClientOptions options;
  options.events = &events;
  Client client(memory::backend(), options);
  AcquireResult lock = client.acquire("a", with_ttl(seconds(3)));
  ASSERT_TRUE(lock);
  const TimePoint first_end = lock->certain_until();
  ASSERT_TRUE(eventually([&] { return events.count(EventKind::renewed) >= 4; }));
  EXPECT_GT(lock->certain_until(), first_end);
  EXPECT_EQ(lock->loss(), std::nullopt);
  EXPECT_FALSE(lock->lost_token().stop_requested());
  EXPECT_FALSE(client.try_acquire("a"));
  EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
  EXPECT_FALSE(lock->lost_token().stop_requested());
}

TEST(Client, KeepsEachOfTwoLocks) {
  Client client(memory::backend());
  const AcquireResult first = client.acquire("a", with_ttl(milliseconds(1500)));
  AcquireResult second = client.acquire("b", with_ttl(seconds(3)));
  ASSERT_TRUE(second);
  const TimePoint end = second->certain_until();
  ASSERT_TRUE(eventually(
      [&] { return second->certain_until() > end || second->state() == LeaseState::lost; }));
  EXPECT_GT(second->certain_until(), end);
}

TEST(Client, KeepsALockAfterOneWithALongerTtl) {
  Client client(memory::backend());
  const auto unfair = [](milliseconds ttl) {
    LockOptions options = with_ttl(ttl);
    options.fair = false;  // its renewal is the first that falls due
    return options;
  };
  AcquireResult longer = client.acquire("a", unfair(seconds(60)));
  ASSERT_TRUE(longer && longer->release());
  AcquireResult lock = client.acquire("a", unfair(seconds(3)));
  ASSERT_TRUE(lock);
  const TimePoint end = lock->certain_until();
  ASSERT_TRUE(
      eventually([&] { return lock->certain_until() > end || lock->state() == LeaseState::lost; }));
  EXPECT_GT(lock->certain_until(), end);
}

TEST(Client, AGuardReleasesWhatItHeldBeforeItHoldsAnotherLock) {
  Client client(memory::backend());
  AcquireResult first = client.acquire("a");
  ASSERT_TRUE(first);
  Guard guard = *std::move(first);
  AcquireResult second = client.acquire("b");
  ASSERT_TRUE(second);
  guard = *std::move(second);
  EXPECT_TRUE(client.try_acquire("a"));
  EXPECT_FALSE(client.try_acquire("b"));
}

TEST(Client, NoRenewalFollowsARelease) {
  const auto backend = std::make_shared<SilentBackend>(memory::backend());
  Client client(backend);
  for (int i = 0; i < 20; ++i) {
    AcquireResult lock = client.acquire("a", with_ttl(milliseconds(30)));
    ASSERT_TRUE(lock);
    std::this_thread::sleep_for(milliseconds(11));
    ASSERT_TRUE(lock->release());
    const int renewals = backend->count(OperationKind::renew);
    std::this_thread::sleep_for(milliseconds(15));
    EXPECT_EQ(backend->count(OperationKind::renew), renewals);
  }
}

TEST(Client, ALeaseThatMayNotBeRenewedEndsAndIsTold) {
  Client client(memory::backend());
  LockOptions options = with_ttl(milliseconds(60));
  options.renew = false;
  AcquireResult lock = client.acquire("a", options);
  ASSERT_TRUE(lock);
  ASSERT_TRUE(eventually([&] { return lock->lost_token().stop_requested(); }));
  EXPECT_EQ(lock->loss(), LossReason::not_renewed_in_time);
  EXPECT_EQ(lock->state(), LeaseState::lost);
}

TEST(Client, ASilentStoreIsToldAsLostBeforeTheKeyCanExpire) {
  const auto memory_store = memory::backend();
  const auto backend = std::make_shared<SilentBackend>(memory_store);
  ClientOptions options;
  options.release_limit = milliseconds(50);
  // Time for the look at the key: a machine that was busy needed more than 400 ms.
  options.margin = SafetyMargin(0, seconds(9));
  Client client(backend, options);
  AcquireResult lock = client.acquire("a", with_ttl(seconds(10)));
  ASSERT_TRUE(lock);
  std::atomic<bool> key_was_still_there = false;
  std::atomic<bool> has_looked = false;
  const std::stop_callback on_lost(lock->lost_token(), [&] {
    key_was_still_there = !memory_store->held_locks()->empty();
    has_looked = true;
  });
  backend->fall_silent();
  ASSERT_TRUE(eventually([&] { return lock->lost_token().stop_requested(); }));
  ASSERT_TRUE(eventually([&] { return lock->loss().has_value(); }));
  EXPECT_EQ(lock->loss(), LossReason::not_renewed_in_time);
  // The token is stopped before those that it calls have run.
  ASSERT_TRUE(eventually([&] { return has_looked.load(); }));
  EXPECT_TRUE(key_was_still_there);
}

TEST(Client, AReleaseIntoASilentStoreEndsAtTheLimit) {
  const auto backend = std::make_shared<SilentBackend>(memory::backend());
  ClientOptions options;
  options.release_limit = milliseconds(50);
  Client client(backend, options);
  AcquireResult lock = client.acquire("a", with_ttl(seconds(3)));
  ASSERT_TRUE(lock);
  // Once it was renewed the release is the loop's.
  const TimePoint first_end = lock->certain_until();
  ASSERT_TRUE(eventually([&] { return lock->certain_until() > first_end; }));
  backend->fall_silent();
  const Result<ReleaseOutcome> released = lock->release();
  EXPECT_TRUE(failed_with(released, Errc::indeterminate));
}

void erase(Backend& store, const std::string& key) {
  const auto erase_it = [](KeyValueStore* keys, Key of) -> Task<Result<bool>> {
    co_return co_await keys->erase(std::move(of));
  };
  const auto blocking = store.open();
  EXPECT_TRUE(*run(erase_it(blocking.get(), Key(key))));
}

TEST(Client, AKeyThatVanishesIsToldAsLost) {
  const auto store = memory::backend();
  Client client(store);
  AcquireResult lock = client.acquire("a", with_ttl(seconds(3)));
  ASSERT_TRUE(lock);
  erase(*store, "a");
  ASSERT_TRUE(eventually([&] { return lock->lost_token().stop_requested(); }));
  EXPECT_EQ(lock->loss(), LossReason::gone);
  EXPECT_EQ(lock->remaining(), Duration::zero());
}

TEST(Client, ALossIsToldAlsoToThoseWhoAskAfterIt) {
  Recorder events;
  ClientOptions options;
  options.events = &events;
  const auto store = memory::backend();
  Client client(store, options);
  AcquireResult lock = client.acquire("a", with_ttl(milliseconds(120)));
  ASSERT_TRUE(lock);
  erase(*store, "a");
  ASSERT_TRUE(eventually([&] { return events.count(EventKind::lost) == 1; }));
  EXPECT_TRUE(lock->lost_token().stop_requested());
}

TEST(Client, ALockThatIsLostBeforeItsLeaseEndsIsCertainNoLonger) {
  const auto store = memory::backend();
  Client client(store);
  AcquireResult lock = client.acquire("a", with_ttl(seconds(3)));
  ASSERT_TRUE(lock);
  erase(*store, "a");
  ASSERT_TRUE(eventually([&] { return lock->lost_token().stop_requested(); }));
  EXPECT_LE(lock->certain_until(), local_now());
}

TEST(Client, ManyThreadsNeverOverlap) {
  Client client(memory::backend());
  std::atomic<int> inside = 0;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const SectionResult section = client.with_lock("counter", [&](Guard&) {
          EXPECT_EQ(++inside, 1);
          ++counter;
          --inside;
        });
        EXPECT_TRUE(section);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter, 400);
}

// docs/limits.md: 1 % and 5 ms of a ttl are the safety margin.
TEST(Client, TheShortestTtlOfALockIsTheOneThatTheSafetyMarginLeavesSomethingOf) {
  Client client(memory::backend());
  const AcquireResult refused = client.acquire("deploy", LockOptions(Ttl(milliseconds{5})));
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
  EXPECT_EQ(client.acquire("deploy", LockOptions(Ttl(milliseconds{6}))).error(), nullptr);
}

}  // namespace
}  // namespace interlock
