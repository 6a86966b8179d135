// The client over the memory store: its threads, its loop and its timers are the real ones.
#include "interlock/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "interlock/local_clock.hpp"
#include "interlock/lock_keys.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "places_in_queue.hpp"
#include "silent_store.hpp"

namespace interlock {
namespace {

using test::places_in_queue;

using interlock::testing::SilentBackend;
using std::chrono::seconds;
using ::testing::HasSubstr;

LockOptions with_ttl(milliseconds ttl) {
  return LockOptions(Ttl(ttl));
}
LockOptions with_wait(Duration wait) {
  LockOptions options;
  options.wait = wait;
  return options;
}

bool eventually(const std::function<bool()>& condition) {
  const TimePoint limit = local_now() + seconds(20);
  while (!condition()) {
    if (local_now() > limit) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
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
  EXPECT_THAT(refused.why_not(), HasSubstr("held by il1:"));
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
  const AcquireResult refused = client.acquire("a", with_wait(milliseconds(30)));
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
  AcquireResult lock = client.acquire("a", with_ttl(milliseconds(150)));
  ASSERT_TRUE(lock);
  const TimePoint first_end = lock->certain_until();
  ASSERT_TRUE(eventually([&] { return events.count(EventKind::renewed) >= 5; }));
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
  Client client(backend, options);
  AcquireResult lock = client.acquire("a", with_ttl(milliseconds(300)));
  ASSERT_TRUE(lock);
  std::atomic<bool> key_was_still_there = false;
  const std::stop_callback on_lost(
      lock->lost_token(), [&] { key_was_still_there = !memory_store->held_locks()->empty(); });
  backend->fall_silent();
  ASSERT_TRUE(eventually([&] { return lock->lost_token().stop_requested(); }));
  ASSERT_TRUE(eventually([&] { return lock->loss().has_value(); }));
  EXPECT_EQ(lock->loss(), LossReason::not_renewed_in_time);
  EXPECT_TRUE(key_was_still_there);
}

TEST(Client, AReleaseIntoASilentStoreEndsAtTheLimit) {
  const auto backend = std::make_shared<SilentBackend>(memory::backend());
  ClientOptions options;
  options.release_limit = milliseconds(50);
  Client client(backend, options);
  AcquireResult lock = client.acquire("a", with_ttl(milliseconds(90)));
  ASSERT_TRUE(lock);
  std::this_thread::sleep_for(milliseconds(40));  // renewal has begun: the release is the loop's
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
  AcquireResult lock = client.acquire("a", with_ttl(milliseconds(120)));
  ASSERT_TRUE(lock);
  erase(*store, "a");
  ASSERT_TRUE(eventually([&] { return lock->lost_token().stop_requested(); }));
  EXPECT_EQ(lock->loss(), LossReason::gone);
  EXPECT_EQ(lock->remaining(), Duration::zero());
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

TEST(Client, WithLockSaysWhetherTheLockWasHeldThroughout) {
  Client client(memory::backend());
  int ran = 0;
  EXPECT_TRUE(client.with_lock("a", [&](Guard&) { ++ran; }));

  LockOptions brief = with_ttl(milliseconds(20));
  brief.renew = false;
  const SectionResult lost = client.with_lock(
      "a",
      [&](Guard&) {
        ++ran;
        std::this_thread::sleep_for(milliseconds(40));
      },
      brief);
  EXPECT_FALSE(lost);
  EXPECT_TRUE(lost.ran);
  EXPECT_EQ(lost.loss, LossReason::not_renewed_in_time);
  EXPECT_EQ(ran, 2);

  const AcquireResult held = client.acquire("a");
  const SectionResult busy = client.with_lock(
      "a", [&](Guard&) { ++ran; }, with_wait(Duration::zero()));
  EXPECT_TRUE(busy.busy.has_value());
  EXPECT_EQ(ran, 2);
}

// Somebody else may have held the lock while the rest of the section ran.
TEST(Client, WithLockSaysThatTheSectionReleasedTheLockItself) {
  Client client(memory::backend());
  for (const bool fair : {false, true}) {
    LockOptions options;
    options.fair = fair;
    for (const bool moves_out : {false, true}) {
      const SectionResult result = client.with_lock(
          "a",
          [&](Guard& guard) {
            if (moves_out) {
              const Guard ends_here = std::move(guard);
            } else {
              EXPECT_TRUE(guard.release());
            }
            EXPECT_TRUE(client.try_acquire("a"));
          },
          options);
      EXPECT_FALSE(result);
      EXPECT_TRUE(result.ran);
      EXPECT_TRUE(result.released_early);
      EXPECT_EQ(result.loss, std::nullopt);
    }
  }
}

TEST(Client, WithLockLeavesAGuardThatTheSectionKept) {
  Client client(memory::backend());
  std::optional<Guard> kept;
  EXPECT_TRUE(client.with_lock("a", [&](Guard& guard) { kept.emplace(std::move(guard)); }));
  EXPECT_EQ(kept->state(), LeaseState::held);
  EXPECT_FALSE(client.try_acquire("a"));
  EXPECT_EQ(*kept->release(), ReleaseOutcome::released);
}

// The loop tells of losses, and here it does not come round to it.
TEST(Client, WithLockSeesALossThatNobodyWasToldOf) {
  Client client(memory::backend());
  std::promise<void> stands_still;
  std::promise<void> goes_on;
  client.loop().post([&] {
    stands_still.set_value();
    goes_on.get_future().get();
  });
  stands_still.get_future().get();
  const SectionResult result = client.with_lock(
      "a",
      [](Guard& guard) {
        EXPECT_TRUE(eventually([&] { return guard.state() == LeaseState::lost; }));
        EXPECT_FALSE(guard.loss());
      },
      with_ttl(milliseconds(30)));
  goes_on.set_value();
  EXPECT_TRUE(result.ran);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.loss, LossReason::not_renewed_in_time);
}

TEST(Client, WithLockReleasesWhenTheSectionThrows) {
  Client client(memory::backend());
  EXPECT_THROW(static_cast<void>(client.with_lock(
                   "a", [](Guard&) { throw std::runtime_error("section failed"); })),
               std::runtime_error);
  EXPECT_TRUE(client.try_acquire("a"));
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

Task<void> increment(Client* client, int* counter, bool* inside) {
  const LockName name = *LockName::parse("counter");
  AcquireResult lock = co_await client->acquire_async(name);
  EXPECT_TRUE(lock) << lock.why_not();
  EXPECT_FALSE(*inside);
  *inside = true;
  const TimePoint later = client->loop().now() + Duration(100);
  co_await client->loop().sleep_until(later);
  *inside = false;
  ++*counter;
  const Result<ReleaseOutcome> released = co_await lock->release_async();
  EXPECT_TRUE(released);
}

LockOptions fair() {
  LockOptions options;
  options.fair = true;
  return options;
}

// Each caller waits in the queue of the store, in no line of its process.
ClientOptions each_for_itself() {
  ClientOptions options;
  options.hand_over.sections = 1;
  return options;
}

TEST(Client, FairWaitersAreServedInTheOrderInWhichTheyCame) {
  constexpr std::size_t waiters = 6;
  const auto store = memory::backend();
  Client one(store, each_for_itself());
  Client other(store, each_for_itself());
  std::optional<AcquireResult> held(one.acquire("a", fair()));
  ASSERT_TRUE(*held);
  FencingToken last = (*held)->fencing();
  std::vector<std::size_t> served;  // guarded by the lock itself
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < waiters; ++number) {
    threads.emplace_back([&, number] {
      AcquireResult lock = (number % 2 == 0 ? one : other).acquire("a", fair());
      ASSERT_TRUE(lock) << lock.why_not();
      EXPECT_GT(lock->fencing(), last);
      last = lock->fencing();
      served.push_back(number);
    });
    EXPECT_TRUE(eventually([&] { return places_in_queue(*store, "a") == number + 1; }));
  }
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places_in_queue(*store, "a"), 0U);
}

TEST(Client, AFairWaiterThatGivesUpLeavesTheQueue) {
  const auto store = memory::backend();
  Client client(store, each_for_itself());
  std::optional<AcquireResult> held(client.acquire("a", fair()));
  std::stop_source stop;
  std::thread waiter([&] {
    LockOptions options = fair();
    options.stop = stop.get_token();
    const AcquireResult refused = client.acquire("a", options);
    ASSERT_NE(refused.error(), nullptr);
    EXPECT_EQ(refused.error()->code(), Errc::cancelled);
  });
  EXPECT_TRUE(eventually([&] { return places_in_queue(*store, "a") == 1; }));
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(places_in_queue(*store, "a"), 0U);
  LockOptions limited = fair();
  limited.wait = milliseconds{20};
  const AcquireResult busy = client.acquire("a", limited);
  EXPECT_NE(busy.busy(), nullptr);
  EXPECT_EQ(places_in_queue(*store, "a"), 0U);
}

TEST(Client, AFairLockAndAnOrdinaryOneExcludeEachOther) {
  Client client(memory::backend());
  std::optional<AcquireResult> held(client.acquire("a"));
  EXPECT_FALSE(client.try_acquire("a", fair()));
  std::thread waiter([&] {
    const AcquireResult lock = client.acquire("a", fair());
    EXPECT_TRUE(lock) << lock.why_not();
    EXPECT_FALSE(client.try_acquire("a"));
  });
  held.reset();
  waiter.join();
  EXPECT_TRUE(client.try_acquire("a"));
}

TEST(Client, CoroutinesOnTheLoopExcludeEachOther) {
  int counter = 0;
  bool inside = false;
  {
    Client client(memory::backend());
    for (int i = 0; i < 30; ++i) client.spawn(increment(&client, &counter, &inside));
  }
  EXPECT_EQ(counter, 30);
}

Task<int> answer(Client* client) {
  co_await client->loop().sleep_until(client->loop().now() + milliseconds(1));
  co_return 42;
}

TEST(Client, WaitsForATaskAndGivesItsResult) {
  Client client(memory::backend());
  EXPECT_EQ(client.wait_for(answer(&client)), 42);
}

Task<int> fail(Client* client, std::string with) {
  const LockName name = *LockName::parse("a");
  const AcquireResult lock = co_await client->acquire_async(name);
  EXPECT_TRUE(lock);
  throw std::runtime_error(with);
  co_return 0;
}

Task<void> fail_later(Client* client) {
  static_cast<void>(co_await fail(client, "a handler threw"));
}

TEST(Client, WaitForThrowsWhatTheTaskThrewAndTheLockIsReleased) {
  Client client(memory::backend());
  EXPECT_THROW(static_cast<void>(client.wait_for(fail(&client, "with a result"))),
               std::runtime_error);
  EXPECT_THROW(client.wait_for(fail_later(&client)), std::runtime_error);
  EXPECT_EQ(client.wait_for(answer(&client)), 42);
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(client.try_acquire("a")); }));
}

class ExceptionSink final : public EventSink {
 public:
  void on_event(const Event&) noexcept override {}
  bool on_exception(std::exception_ptr thrown) noexcept override {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const std::runtime_error& error) {
      heard_ = error.what();
    }
    return true;
  }
  const std::string& heard() const { return heard_; }

 private:
  std::string heard_;
};

TEST(Client, TheEventSinkHearsWhatASpawnedTaskThrew) {
  ExceptionSink events;
  ClientOptions options;
  options.events = &events;
  {
    Client client(memory::backend(), options);
    client.spawn(fail_later(&client));
  }
  EXPECT_EQ(events.heard(), "a handler threw");
}

TEST(Client, WithoutAnEventSinkStandardErrorSaysWhatASpawnedTaskThrew) {
  ::testing::internal::CaptureStderr();
  {
    Client client(memory::backend());
    client.spawn(fail_later(&client));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("a handler threw: catch it"));
}

TEST(Mutex, WorksWithTheStandardLocks) {
  Client client(memory::backend());
  Mutex first(client, *LockName::parse("first"));
  Mutex second(client, *LockName::parse("second"));
  {
    const std::scoped_lock both(first, second);
    EXPECT_FALSE(client.try_acquire("first"));
    EXPECT_GT(first.guard().fencing().value(), 0U);
  }
  std::unique_lock lock(first, std::defer_lock);
  EXPECT_TRUE(lock.try_lock());
  Mutex same(client, *LockName::parse("first"));
  EXPECT_FALSE(same.try_lock());
  EXPECT_FALSE(same.try_lock_for(milliseconds(5)));
  EXPECT_FALSE(same.try_lock_until(std::chrono::steady_clock::now() + milliseconds(5)));
  lock.unlock();
  EXPECT_TRUE(same.try_lock_for(seconds(10)));
  same.unlock();
}

TEST(Mutex, ExcludesThreadsThatShareOneObject) {
  Client client(memory::backend());
  Mutex mutex(client, *LockName::parse("shared"));
  int counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        mutex.lock();
        const int seen = counter;
        std::this_thread::yield();
        counter = seen + 1;
        mutex.unlock();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter, 200);
}

TEST(Mutex, ThrowsWhenTheStoreFails) {
  const auto backend =
      std::make_shared<SilentBackend>(memory::backend(), SilentBackend::OnLoops::offload);
  ClientOptions options;
  options.wait_policy.outage_limit = milliseconds{100};
  Client client(backend, options);
  Mutex mutex(client, *LockName::parse("a"));
  backend->fall_silent();
  EXPECT_THROW(mutex.lock(), LockFailure);
}

}  // namespace
}  // namespace interlock
