// Each thread that has locked a mutex has a section of its own: real threads, the memory store.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "hand_over.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/mutex.hpp"
#include "support/child.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using test::eventually;
using test::fair;
using test::keeping;
using test::lock_name;
using test::options_of;

// True: with a kept grant.
class MutexSections : public test::HandOver, public ::testing::WithParamInterface<bool> {
 protected:
  // What a thread does that has the mutex while `checks` go on in this one.
  template <class Checks>
  static void while_another_is_inside(Mutex& mutex, const Checks& checks) {
    std::atomic<bool> is_inside = false;
    std::atomic<bool> may_end = false;
    std::thread successor([&] {
      mutex.lock();
      const FencingToken token = mutex.guard().fencing();
      is_inside = true;
      EXPECT_TRUE(eventually([&] { return may_end.load(); }));
      EXPECT_EQ(mutex.guard().state(), LeaseState::held);
      EXPECT_EQ(mutex.guard().fencing(), token);
      mutex.unlock();
    });
    EXPECT_TRUE(eventually([&] { return is_inside.load(); }));
    checks();
    may_end = true;
    successor.join();
  }
  const std::unique_ptr<Client> one = client(8);
};

INSTANTIATE_TEST_SUITE_P(WithoutAndWithKeep, MutexSections, ::testing::Bool());

TEST_P(MutexSections, TheLoserSeesItsOwnLossAndLeavesItsSuccessorAlone) {
  Mutex mutex(*one, lock_name, options_of(GetParam(), milliseconds{3000}));
  mutex.lock();
  const FencingToken mine = mutex.guard().fencing();
  const Guard* const guard = &mutex.guard();
  const std::stop_token lost = mutex.guard().lost_token();
  erase_key();
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  while_another_is_inside(mutex, [&] {
    EXPECT_EQ(&mutex.guard(), guard);
    EXPECT_EQ(mutex.guard().state(), LeaseState::lost);
    EXPECT_EQ(mutex.guard().loss(), LossReason::gone);
    EXPECT_EQ(mutex.guard().fencing(), mine);
    EXPECT_TRUE(mutex.guard().lost_token().stop_requested());
    mutex.unlock();
    EXPECT_TRUE(is_held());
    EXPECT_FALSE(mutex.try_lock());
  });
}

TEST_P(MutexSections, AGuardThatWasMovedOutAndDroppedLeavesTheNextSectionAlone) {
  Mutex mutex(*one, lock_name, options_of(GetParam()));
  mutex.lock();
  { const Guard moved = std::move(mutex.guard()); }
  while_another_is_inside(mutex, [&] {
    EXPECT_EQ(mutex.guard().fencing().value(), 0U);
    mutex.unlock();
    EXPECT_TRUE(is_held());
  });
}

TEST_P(MutexSections, LockingAgainAfterAReleaseThroughTheGuardEndsTheSectionBefore) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  Mutex mutex(*one, lock_name, options_of(GetParam()));
  mutex.lock();
  EXPECT_EQ(*mutex.guard().release(), ReleaseOutcome::released);
  mutex.lock();
  EXPECT_EQ(mutex.guard().state(), LeaseState::held);
  mutex.unlock();
  EXPECT_DEATH(static_cast<void>(mutex.guard()), "this thread does not hold");
}

TEST_P(MutexSections, AThreadWithoutASectionUnlocksNothing) {
  Mutex mutex(*one, lock_name, options_of(GetParam()));
  while_another_is_inside(mutex, [&] {
    mutex.unlock();
    EXPECT_TRUE(is_held());
  });
}

TEST_P(MutexSections, ThreadsThatReleaseThroughTheGuardNeverOverlap) {
  Mutex mutex(*one, lock_name, options_of(GetParam()));
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 200; ++n) {
        mutex.lock();
        if (++inside != 1) ++overlaps;
        std::this_thread::yield();
        if (mutex.guard().state() != LeaseState::held) ++overlaps;
        --inside;
        if ((n + t) % 3 != 0) static_cast<void>(mutex.guard().release());
        if ((n + t) % 3 == 1) std::this_thread::yield();
        mutex.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overlaps, 0);
}

// Else a program that locks from many threads, one after the other, would grow.
TEST_P(MutexSections, AGuardHasTheSamePlaceInTheNextSection) {
  Mutex mutex(*one, lock_name, options_of(GetParam()));
  std::set<const Guard*> places;
  for (int n = 0; n < 50; ++n) {
    std::thread([&] {
      const std::lock_guard lock(mutex);
      places.insert(&mutex.guard());
      if (n % 3 == 0) static_cast<void>(mutex.guard().release());
    }).join();
    if (n % 5 == 0) static_cast<void>(one->acquire("a", fair()));  // takes what is kept
  }
  EXPECT_LE(places.size(), 2U);
}

// --- what is told of a section that is over ------------------------------------------------------

class Tokens final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    const std::uint64_t token = event.fencing.value();
    const std::lock_guard lock(mutex_);
    if (event.kind == EventKind::acquired) acquired_.insert(token);
    if (event.kind == EventKind::released) released_.insert(token);
  }
  std::set<std::uint64_t> acquired() const { return of(acquired_); }
  std::set<std::uint64_t> released() const { return of(released_); }

 private:
  std::set<std::uint64_t> of(const std::set<std::uint64_t>& all) const {
    const std::lock_guard lock(mutex_);
    return all;
  }
  mutable std::mutex mutex_;
  std::set<std::uint64_t> acquired_;
  std::set<std::uint64_t> released_;
};

class EndOfAKeptGrant : public test::HandOver {
 protected:
  Tokens tokens;
};

TEST_F(EndOfAKeptGrant, TheEndOfItsMutexReportsTheTokenOfItsLastSection) {
  Client client(backend, options(8, &tokens));
  listen_for_recalls(client);
  {
    Mutex mutex(client, lock_name, keeping());
    for (int n = 0; n < 3; ++n) const std::lock_guard lock(mutex);
  }
  EXPECT_TRUE(eventually([&] { return tokens.released().size() == 3; }));
  EXPECT_EQ(tokens.released(), tokens.acquired());
}

TEST_F(EndOfAKeptGrant, ALockOnTheClientsLoopIsRefusedAsWithoutOne) {
  Client client(backend, options(8, &tokens));
  listen_for_recalls(client);
  Mutex mutex(client, lock_name, keeping());
  { const std::lock_guard lock(mutex); }
  Errc refused = Errc::cancelled;
  const auto lock_on_loop = [](Mutex* of, Errc* code) -> Task<void> {
    try {
      of->lock();
    } catch (const LockFailure& failure) {
      *code = failure.error().code();
    }
    co_return;
  };
  client.wait_for(lock_on_loop(&mutex, &refused));
  EXPECT_EQ(refused, Errc::invalid_argument);
}

class ReleasedGuard : public test::HandOver {};

TEST_F(ReleasedGuard, IsLostAndCertainOfNothing) {
  const auto one = client(8);
  AcquireResult lock = one->acquire("a", fair());
  ASSERT_TRUE(lock) << lock.why_not();
  const std::stop_token lost = lock->lost_token();
  EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
  EXPECT_EQ(lock->state(), LeaseState::lost);
  EXPECT_EQ(lock->remaining(), Duration::zero());
  EXPECT_FALSE(lock->valid_for(milliseconds{1}));
  EXPECT_EQ(lock->loss(), std::nullopt);
  EXPECT_FALSE(lost.stop_requested());
}

}  // namespace
}  // namespace interlock
