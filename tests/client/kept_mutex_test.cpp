// Mutexes that keep their grant between two sections: real threads, the memory store, and a count
// of what the store was asked.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hand_over.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/mutex.hpp"
#include "support/child.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using test::fair;
using test::keeping;
using test::lock_name;

class KeptMutex : public test::HandOver {
 protected:
  KeptMutex() {
    listen_for_recalls(*one);
    listen_for_recalls(*other);
  }
  // Another client takes the lock at once.
  bool is_free() { return static_cast<bool>(other->try_acquire("a", fair())); }
  std::uint64_t section(Mutex& mutex) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(mutex.guard().state(), LeaseState::held);
    return mutex.guard().fencing().value();
  }
  const std::unique_ptr<Client> one = client(8);
  const std::unique_ptr<Client> other = client(8);
};

TEST_F(KeptMutex, TakesItsGrantAgainWithoutAskingTheStore) {
  {
    Mutex mutex(*one, lock_name, keeping());
    const std::uint64_t first = section(mutex);
    for (std::uint64_t n = 1; n < 5; ++n) EXPECT_EQ(section(mutex), first + n);
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
    EXPECT_EQ(asked(), 1);
    EXPECT_TRUE(is_held());
    EXPECT_EQ(events.count(EventKind::acquired), 6);
    EXPECT_EQ(events.count(EventKind::released), 5);
  }
  EXPECT_FALSE(is_held());
  EXPECT_EQ(asked(), 2);
  EXPECT_EQ(events.count(EventKind::released), 6);
}

TEST_F(KeptMutex, KeepsNothingUnlessAskedTo) {
  Mutex mutex(*one, lock_name);
  section(mutex);
  EXPECT_FALSE(is_held());
}

TEST_F(KeptMutex, KeepsNothingWithoutQueueOrRenewal) {
  MutexOptions unfair = keeping();
  unfair.fair = false;
  MutexOptions not_renewed = keeping();
  not_renewed.renew = false;
  for (const MutexOptions& options : {unfair, not_renewed}) {
    Mutex mutex(*one, lock_name, options);
    section(mutex);
    EXPECT_FALSE(is_held());
  }
}

TEST_F(KeptMutex, BeginsNoMoreSectionsThanTheGrantHasTokens) {
  const auto few = client(3);
  listen_for_recalls(*few);
  Mutex mutex(*few, lock_name, keeping());
  std::vector<std::uint64_t> tokens;
  for (int n = 0; n < 7; ++n) tokens.push_back(section(mutex));
  EXPECT_EQ(asked(), 5);  // three claims, and two releases after the third section of each
  for (std::size_t n = 1; n < tokens.size(); ++n) EXPECT_GT(tokens[n], tokens[n - 1]);
}

TEST_F(KeptMutex, GivesItsGrantBackByItself) {
  ClientOptions short_time = options(48, &events);
  short_time.hand_over.within = milliseconds{20};
  Client quick(backend, short_time);
  Mutex mutex(quick, lock_name, keeping());
  section(mutex);
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_TRUE(eventually([&] { return events.count(EventKind::released) == 1; }));
  EXPECT_GT(section(mutex), 0U);
}

TEST_F(KeptMutex, GivesItsGrantBackBeforeAThirdOfItsLeaseIsOver) {
  Mutex mutex(*one, lock_name, keeping(seconds{3}));
  section(mutex);
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_TRUE(eventually([&] { return events.count(EventKind::released) == 1; }));
  EXPECT_EQ(events.count(EventKind::renewed), 0);
}

TEST_F(KeptMutex, HandsWhatItKeepsToAnotherCallerOfItsClient) {
  Mutex mutex(*one, lock_name, keeping());
  Mutex second(*one, lock_name, keeping());
  Mutex third(*one, lock_name, fair());
  const std::uint64_t first = section(mutex);
  EXPECT_EQ(section(second), first + 1);
  EXPECT_EQ(section(second), first + 2);
  EXPECT_EQ(section(mutex), first + 3);
  EXPECT_EQ(one->acquire("a", fair())->fencing().value(), first + 4);
  EXPECT_EQ(asked(), 2);  // whose holder does not keep it
  section(mutex);
  EXPECT_TRUE(one->try_acquire("a", fair()));
  section(mutex);
  section(third);
  EXPECT_FALSE(is_held());
  EXPECT_EQ(asked(), 6);
  EXPECT_EQ(events.count(EventKind::acquired), events.count(EventKind::released));
}

Task<void> acquire_on_loop(Client* by, std::uint64_t* token) {
  const LockName name = lock_name;
  const LockOptions options = fair();
  AcquireResult lock = co_await by->acquire_async(name, options);
  *token = lock->fencing().value();
  static_cast<void>(co_await lock->release_async());
}

TEST_F(KeptMutex, HandsWhatItKeepsToACoroutine) {
  Mutex mutex(*one, lock_name, keeping());
  const std::uint64_t first = section(mutex);
  std::uint64_t token = 0;
  one->wait_for(acquire_on_loop(one.get(), &token));
  EXPECT_EQ(token, first + 1);
  EXPECT_FALSE(is_held());
}

TEST_F(KeptMutex, GivesBackWhatDoesNotDoForAnotherCallerOfItsClient) {
  Mutex mutex(*one, lock_name, keeping());
  LockOptions other_ttl = fair(seconds{90});
  LockOptions unfair = fair();
  unfair.fair = false;
  LockOptions not_renewed = fair();
  not_renewed.renew = false;
  LockOptions one_try = unfair;
  one_try.wait = Duration::zero();
  for (const LockOptions& options : {other_ttl, unfair, not_renewed, one_try}) {
    const std::uint64_t kept = section(mutex);
    EXPECT_TRUE(is_held());
    AcquireResult lock = one->acquire("a", options);
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_GT(lock->fencing().value(), kept);
    EXPECT_EQ(lock->ttl(), options.ttl);
  }
  EXPECT_FALSE(is_held());
  EXPECT_EQ(events.count(EventKind::acquired), events.count(EventKind::released));
}

TEST_F(KeptMutex, KeepsNoGrantThatOthersQueueBehind) {
  Mutex mutex(*one, lock_name, keeping());
  std::optional<AcquireResult> held(other->acquire("a", fair()));
  std::thread first([&] { section(mutex); });
  ASSERT_TRUE(eventually([&] { return places_in_queue() == 1; }));
  const auto third = client(1);
  std::thread last([&] { EXPECT_TRUE(third->acquire("a", fair())); });
  ASSERT_TRUE(eventually([&] { return places_in_queue() == 2; }));
  held.reset();
  first.join();
  last.join();
}

TEST_F(KeptMutex, DoesNotKeepWhatItsUserHasReleasedOrMovedAway) {
  Mutex mutex(*one, lock_name, keeping());
  mutex.lock();
  EXPECT_EQ(*mutex.guard().release(), ReleaseOutcome::released);
  mutex.unlock();
  EXPECT_FALSE(is_held());
  section(mutex);
  mutex.lock();
  {
    const Guard moved = std::move(mutex.guard());
    mutex.unlock();
    EXPECT_TRUE(is_held());
    EXPECT_FALSE(mutex.try_lock());
  }
  EXPECT_FALSE(is_held());
  section(mutex);
}

TEST_F(KeptMutex, ALongSectionIsRenewedAndNotKept) {
  Mutex mutex(*one, lock_name, keeping(seconds{3}));
  const std::uint64_t first = section(mutex);
  mutex.lock();
  EXPECT_EQ(mutex.guard().fencing().value(), first + 1);
  EXPECT_TRUE(eventually([&] { return events.count(EventKind::renewed) >= 2; }));
  EXPECT_EQ(mutex.guard().state(), LeaseState::held);
  mutex.unlock();
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_EQ(events.count(EventKind::lost), 0);
}

// Else it would be renewed for its first holder, for ever.
TEST_F(KeptMutex, WhatAnotherCallerHasTakenIsNoLongerRenewedForItsKeeper) {
  Mutex mutex(*one, lock_name, keeping(seconds{3}));
  const auto renewed_twice = [&](int before) {
    return eventually([&] { return events.count(EventKind::renewed) >= before + 2; });
  };
  section(mutex);
  {
    AcquireResult taken = one->acquire("a", fair(seconds{3}));
    ASSERT_TRUE(taken) << taken.why_not();
    EXPECT_TRUE(renewed_twice(0));
  }
  const AcquireResult next = one->acquire("a", fair(seconds{3}));
  ASSERT_TRUE(next) << next.why_not();
  EXPECT_TRUE(renewed_twice(events.count(EventKind::renewed)));
  EXPECT_EQ(events.count(EventKind::lost), 0);
}

TEST_F(KeptMutex, TellsNoSectionOfTheLossOfALaterOne) {
  Mutex mutex(*one, lock_name, keeping(seconds{3}));
  mutex.lock();
  const std::stop_token earlier = mutex.guard().lost_token();
  mutex.unlock();
  mutex.lock();
  const std::stop_token token = mutex.guard().lost_token();
  erase_key();
  EXPECT_TRUE(eventually([&] { return token.stop_requested(); }));
  EXPECT_FALSE(earlier.stop_requested());
  EXPECT_EQ(mutex.guard().loss(), LossReason::gone);
  mutex.unlock();
  section(mutex);
}

TEST_F(KeptMutex, GivesItsGrantBackWhenItsClientEnds) {
  auto ending = client(8);
  listen_for_recalls(*ending);
  Mutex mutex(*ending, lock_name, keeping());
  section(mutex);
  EXPECT_TRUE(is_held());
  ending.reset();
  EXPECT_FALSE(is_held());
  EXPECT_EQ(events.count(EventKind::lost), 0);
}

TEST_F(KeptMutex, ARequestToStopEndsItsUse) {
  std::stop_source stop;
  MutexOptions options = keeping();
  options.stop = stop.get_token();
  Mutex mutex(*one, lock_name, options);
  section(mutex);
  stop.request_stop();
  EXPECT_THROW(mutex.lock(), LockFailure);
}

TEST_F(KeptMutex, IsTheParentsInAChild) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  Mutex mutex(*one, lock_name, keeping());
  const std::uint64_t first = section(mutex);
  const int status = test::in_child([&] {
    bool refused = false;
    try {
      mutex.lock();
    } catch (const LockFailure& failure) {
      refused = failure.error().code() == Errc::forked;
    }
    mutex.unlock();
    mutex.~Mutex();
    return refused ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(section(mutex), first + 1);
  EXPECT_EQ(asked(), 1);
}

// Another process may have queued, and sent its message, before the client listened.
TEST_F(KeptMutex, GivesItsGrantBackWhenItsClientBeginsToListen) {
  const auto late = client(8);
  std::promise<void> may_listen;
  const auto wait_on_loop = [](std::future<void> until) -> Task<void> {
    until.wait();
    co_return;
  };
  late->spawn(wait_on_loop(may_listen.get_future()));
  Mutex mutex(*late, lock_name, keeping(std::chrono::hours{1}));
  section(mutex);
  EXPECT_TRUE(is_held());
  may_listen.set_value();
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
}

// Without a message it would have to wait for a quarter of an hour.
TEST_F(KeptMutex, GivesItsGrantBackWhenAnotherProcessQueues) {
  constexpr std::chrono::hours ttl{1};
  Mutex mutex(*one, lock_name, keeping(ttl));
  Mutex far(*other, lock_name, keeping(ttl));
  section(mutex);
  ASSERT_TRUE(eventually([&] { return backend->count(OperationKind::await_message) >= 1; }));
  std::uint64_t last = 0;
  for (int n = 0; n < 3; ++n) {
    for (Mutex* const mine : {&mutex, &far}) {
      ASSERT_TRUE(mine->try_lock_for(seconds{20}));
      EXPECT_GT(mine->guard().fencing().value(), last);
      last = mine->guard().fencing().value();
      mine->unlock();
    }
    ASSERT_TRUE(eventually([&] { return backend->count(OperationKind::await_message) >= 2; }));
  }
  EXPECT_EQ(events.count(EventKind::acquired), 7);
  EXPECT_EQ(events.count(EventKind::error), 0);
}

TEST_F(KeptMutex, ASectionThatAnotherProcessQueuesBehindIsItsLast) {
  constexpr std::chrono::hours ttl{1};
  Mutex mutex(*one, lock_name, keeping(ttl));
  section(mutex);
  ASSERT_TRUE(eventually([&] { return backend->count(OperationKind::await_message) >= 1; }));
  mutex.lock();
  std::thread waiter([&] {
    AcquireResult lock = other->acquire("a", fair(ttl));
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_FALSE(mutex.try_lock());
  });
  ASSERT_TRUE(eventually([&] { return places_in_queue() == 1; }));
  mutex.unlock();
  waiter.join();
}

// Mutexes of two clients, and callers that do not keep, all on one lock.
TEST_F(KeptMutex, ManyThreadsNeverOverlapAndTheirTokensGrow) {
  ClientOptions quick = options(5, &events);
  quick.hand_over.within = milliseconds{1};
  Client here(backend, quick);
  Client there(backend, quick);
  Mutex shared(here, lock_name, keeping());
  Mutex own(here, lock_name, keeping());
  Mutex far(there, lock_name, keeping());
  constexpr int sections = 300;
  int counter = 0;
  std::uint64_t last = 0;
  const auto inside = [&](std::uint64_t token) {
    EXPECT_GT(token, last);
    last = token;
    ++counter;
  };
  std::vector<std::thread> threads;
  for (Mutex* const mutex : {&shared, &shared, &own, &far, &far}) {
    threads.emplace_back([&, mutex] {
      for (int n = 0; n < sections; ++n) {
        const std::lock_guard lock(*mutex);
        inside(mutex->guard().fencing().value());
      }
    });
  }
  threads.emplace_back([&] {
    for (int n = 0; n < sections; ++n) {
      AcquireResult lock = here.acquire("a", fair());
      ASSERT_TRUE(lock) << lock.why_not();
      inside(lock->fencing().value());
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 6 * sections);
}

}  // namespace
}  // namespace interlock
