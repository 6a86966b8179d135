// Guard::share(): several guards of one grant, of which the last releases the lock.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using test::eventually;

class SharedGuard : public ::testing::Test {
 protected:
  // Not for ever: a guard that is never the last would keep the next one waiting.
  Guard held() {
    LockOptions options;
    options.wait = std::chrono::seconds{5};
    return *client.acquire("a", options);
  }
  bool is_free() {
    LockOptions once;
    once.wait = Duration::zero();
    return static_cast<bool>(other.acquire("a", once));
  }

  const std::shared_ptr<Backend> store = memory::backend();
  Client client{store};
  Client other{store};
};

TEST_F(SharedGuard, TheLastReleasesTheLock) {
  for (const bool by_destructor : {false, true}) {
    std::optional<Guard> first(held());
    std::optional<Guard> second(first->share());
    std::optional<Guard> third(second->share());
    EXPECT_EQ(second->owner(), first->owner());
    EXPECT_EQ(third->fencing(), first->fencing());
    for (std::optional<Guard>* each : {&second, &first}) {
      if (by_destructor) {
        each->reset();
      } else {
        EXPECT_EQ(*(*each)->release(), ReleaseOutcome::released);
        EXPECT_EQ((*each)->state(), LeaseState::lost);
        EXPECT_EQ((*each)->remaining(), Duration::zero());
        EXPECT_EQ((*each)->certain_until(), TimePoint());
        EXPECT_EQ(*(*each)->release(), ReleaseOutcome::not_holder) << "a second time";
      }
      EXPECT_FALSE(is_free());
      EXPECT_EQ(third->state(), LeaseState::held);
    }
    EXPECT_EQ(*third->release(), ReleaseOutcome::released);
    EXPECT_EQ(*third->release(), ReleaseOutcome::not_holder);
    first.reset();
    second.reset();
    EXPECT_TRUE(is_free());
  }
}

TEST_F(SharedGuard, OneThatHasBeenReleasedDoesNotCountTwice) {
  std::optional<Guard> first(held());
  Guard second = first->share();
  Guard third = first->share();
  EXPECT_EQ(*first->release(), ReleaseOutcome::released);
  first.reset();
  EXPECT_EQ(*second.release(), ReleaseOutcome::released);
  EXPECT_EQ(third.state(), LeaseState::held);
  EXPECT_FALSE(is_free());
}

TEST_F(SharedGuard, AMoveIsNoShare) {
  std::optional<Guard> first(held());
  Guard second = first->share();
  Guard moved = std::move(second);
  moved = std::move(*first);
  EXPECT_FALSE(is_free()) << "the guard that was assigned to has left it to the other one";
  EXPECT_EQ(*moved.release(), ReleaseOutcome::released);
  EXPECT_TRUE(is_free());
}

TEST_F(SharedGuard, AGuardThatHoldsNothingSharesNothing) {
  Guard guard = held();
  Guard second = guard.share();
  static_cast<void>(guard.release());
  EXPECT_EQ(guard.share().fencing(), FencingToken()) << "it has left the lock to the second";
  static_cast<void>(second.release());
  EXPECT_EQ(second.share().fencing(), FencingToken());
  EXPECT_EQ(Guard(std::move(second)).share().fencing(), FencingToken());
  EXPECT_EQ(second.share().fencing(), FencingToken());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(is_free());
}

TEST_F(SharedGuard, ALossEndsAll) {
  LockOptions options(Ttl(milliseconds{200}));
  options.renew = false;
  Guard first = *client.acquire("a", options);
  Guard second = first.share();
  ASSERT_TRUE(eventually([&] { return second.loss().has_value(); }));
  EXPECT_EQ(first.loss(), second.loss());
  EXPECT_EQ(*first.release(), ReleaseOutcome::not_holder);
}

TEST_F(SharedGuard, TasksShareIt) {
  const auto section = [](Client* by) -> Task<void> {
    AcquireResult held = co_await by->acquire_async(*LockName::parse("a"));
    Guard second = held->share();
    const Result<ReleaseOutcome> left = co_await held->release_async();
    EXPECT_EQ(*left, ReleaseOutcome::released);
    EXPECT_EQ(second.state(), LeaseState::held);
    const Result<ReleaseOutcome> again = co_await held->release_async();
    EXPECT_EQ(*again, ReleaseOutcome::not_holder);
    const Result<ReleaseOutcome> released = co_await second.release_async();
    EXPECT_EQ(*released, ReleaseOutcome::released);
  };
  client.wait_for(section(&client));
  EXPECT_TRUE(is_free());
}

// Exactly one of the guards is the last, however their ends fall together.
TEST_F(SharedGuard, ThreadsThatEndTogetherReleaseOnce) {
  for (int round = 0; round < 200; ++round) {
    Guard guard = held();
    std::atomic<int> ready = 0;
    std::vector<std::thread> threads;
    for (int each = 0; each < 3; ++each) {
      threads.emplace_back([&ready, mine = std::make_shared<Guard>(guard.share())]() mutable {
        for (++ready; ready < 3;) std::this_thread::yield();
        EXPECT_EQ(*mine->release(), ReleaseOutcome::released);
      });
    }
    EXPECT_EQ(*guard.release(), ReleaseOutcome::released);
    for (std::thread& each : threads) each.join();
    ASSERT_TRUE(is_free()) << round;
  }
}

TEST_F(SharedGuard, AMutexDoesNotKeepWhatIsShared) {
  MutexOptions options;
  options.keep = true;
  Mutex mutex(client, *LockName::parse("a"), options);
  // Several times: a grant that was kept by mistake may be given back at once, when the client has
  // just begun to listen.
  for (int time = 0; time < 20; ++time) {
    mutex.lock();
    std::optional<Guard> second(mutex.guard().share());
    mutex.unlock();
    EXPECT_EQ(second->state(), LeaseState::held);
    EXPECT_FALSE(mutex.try_lock()) << "the second guard holds it";
    second.reset();
    ASSERT_TRUE(mutex.try_lock());
    mutex.unlock();
  }
}

TEST_F(SharedGuard, ASectionMayReleaseItsGuardWhileAnotherGuardIsThere) {
  std::optional<Guard> kept;
  const SectionResult section = client.with_lock("a", [&](Guard& guard) {
    kept.emplace(guard.share());
    EXPECT_EQ(*guard.release(), ReleaseOutcome::released);
  });
  EXPECT_TRUE(section);
  EXPECT_FALSE(section.loss);
  EXPECT_EQ(kept->state(), LeaseState::held);
}

TEST_F(SharedGuard, ASectionMayLeaveItsLockToAnotherGuard) {
  std::optional<Guard> kept;
  const SectionResult section =
      client.with_lock("a", [&](Guard& guard) { kept.emplace(guard.share()); });
  EXPECT_TRUE(section);
  EXPECT_FALSE(is_free());
  kept.reset();
  EXPECT_TRUE(eventually([&] { return is_free(); }));
}

}  // namespace
}  // namespace interlock
