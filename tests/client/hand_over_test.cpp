// A client whose callers line up and hand over what the store has granted: real threads, the memory
// store, and a count of what the store was asked.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "hand_over.hpp"
#include "interlock/client.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using test::fair;
using test::HandOver;

TEST_F(HandOver, CallersOfOneClientAreServedInOrderByOneGrant) {
  constexpr int waiters = 6;
  const auto one = client(waiters + 1);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  ASSERT_TRUE(*held);
  const int asked_before = asked();
  const FencingToken first = (*held)->fencing();
  const TimePoint certain_until = (*held)->certain_until();
  std::vector<int> served;  // guarded by the lock itself
  std::vector<std::thread> threads;
  for (int number = 0; number < waiters; ++number) {
    threads.emplace_back([&, number] {
      AcquireResult lock = one->acquire("a", fair());
      ASSERT_TRUE(lock) << lock.why_not();
      served.push_back(number);
      EXPECT_EQ(lock->fencing().value(), first.value() + served.size());
      EXPECT_EQ(lock->certain_until(), certain_until);
      EXPECT_EQ(lock->state(), LeaseState::held);
      EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
      EXPECT_EQ(*lock->release(), ReleaseOutcome::not_holder);
    });
    ASSERT_TRUE(waiting(number + 1));
  }
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::not_holder);
  EXPECT_EQ(served, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(asked() - asked_before, 1);  // the last release
  EXPECT_EQ(events.count(EventKind::acquired), waiters + 1);
  EXPECT_EQ(events.count(EventKind::released), waiters + 1);
  EXPECT_FALSE(is_held());
}

TEST_F(HandOver, TheNextInLineQueuesWhileTheLastSectionGoesOn) {
  const auto one = client(2);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  std::atomic<bool> may_end = false;
  std::atomic<int> served = 0;
  std::thread last([&] {
    AcquireResult lock = one->acquire("a", fair());
    EXPECT_EQ(lock->owner(), (*held)->owner());
    ++served;
    EXPECT_TRUE(eventually([&] { return may_end.load(); }));
  });
  ASSERT_TRUE(waiting(1));
  std::thread next([&] {
    AcquireResult lock = one->acquire("a", fair());
    EXPECT_NE(lock->owner(), (*held)->owner());
    ++served;
  });
  ASSERT_TRUE(waiting(2));
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  EXPECT_TRUE(eventually([&] { return places_in_queue() == 1; }));
  EXPECT_TRUE(eventually([&] { return served == 1; }));
  // The first claim; and of the next one, which has no wake-up channel yet, one try and its place.
  // It knows that its process holds the lock, and does not try on a connection of its own before.
  EXPECT_EQ(asked(), 3);
  may_end = true;
  last.join();
  next.join();
  EXPECT_FALSE(is_held());
}

// Or all who come to the store meanwhile would be served before them.
TEST_F(HandOver, CallersBehindALongSectionQueueBeforeThoseWhoComeLater) {
  ClientOptions impatient = options(48, &events);
  impatient.hand_over.within = milliseconds{20};
  Client one(backend, impatient);
  const auto other = client(48);
  std::optional<AcquireResult> held(one.acquire("a", fair()));
  std::vector<std::string> served;
  std::vector<std::thread> threads;
  const auto wants = [&](Client& by, const std::string& called) {
    threads.emplace_back([&, called] {
      AcquireResult lock = by.acquire("a", fair());
      ASSERT_TRUE(lock) << lock.why_not();
      served.push_back(called);
    });
  };
  wants(one, "in line");
  EXPECT_TRUE(eventually([&] { return places_in_queue() == 1; }));
  wants(*other, "stranger");
  EXPECT_TRUE(eventually([&] { return places_in_queue() == 2; }));
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, (std::vector<std::string>{"in line", "stranger"}));
}

TEST_F(HandOver, AnotherProcessWaitsForNoMoreSectionsThanThePolicySays) {
  const auto one = client(3);
  const auto other = client(3);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  std::vector<std::string> served;
  FencingToken last = (*held)->fencing();
  std::vector<std::thread> threads;
  const auto wants = [&](Client& by, const std::string& called) {
    threads.emplace_back([&, called] {
      AcquireResult lock = by.acquire("a", fair());
      ASSERT_TRUE(lock) << lock.why_not();
      EXPECT_GT(lock->fencing(), last);
      last = lock->fencing();
      served.push_back(called);
    });
  };
  wants(*other, "other");
  ASSERT_TRUE(eventually([&] { return places_in_queue() == 1; }));
  for (int number = 0; number < 4; ++number) {
    wants(*one, std::to_string(number));
    ASSERT_TRUE(waiting(number + 2));
  }
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, (std::vector<std::string>{"0", "1", "other", "2", "3"}));
}

TEST_F(HandOver, ManyThreadsOfTwoClientsNeverOverlapAndTheirTokensGrow) {
  constexpr int sections = 40;
  const auto one = client(5);
  const auto other = client(1);  // blocks of other sizes on one lock
  std::atomic<int> inside = 0;
  int counter = 0;
  FencingToken last;
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < sections; ++i) {
        const SectionResult section = (number < 5 ? one : other)
                                          ->with_lock(
                                              "a",
                                              [&](Guard& guard) {
                                                EXPECT_EQ(++inside, 1);
                                                EXPECT_GT(guard.fencing(), last);
                                                last = guard.fencing();
                                                ++counter;
                                                --inside;
                                              },
                                              fair());
        EXPECT_TRUE(section);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 8 * sections);
  EXPECT_FALSE(is_held());
}

TEST_F(HandOver, WhoGivesUpInTheLineLeavesTheOthersTheirTurn) {
  const auto one = client(8);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  std::stop_source stop;
  std::thread cancelled([&] {
    LockOptions options = fair();
    options.stop = stop.get_token();
    const AcquireResult refused = one->acquire("a", options);
    ASSERT_NE(refused.error(), nullptr);
    EXPECT_EQ(refused.error()->code(), Errc::cancelled);
  });
  ASSERT_TRUE(waiting(1));
  std::thread patient([&] { EXPECT_TRUE(one->acquire("a", fair())); });
  ASSERT_TRUE(waiting(2));
  stop.request_stop();
  cancelled.join();
  LockOptions limited = fair();
  limited.wait = milliseconds{20};
  const AcquireResult busy = one->acquire("a", limited);
  ASSERT_NE(busy.busy(), nullptr);
  EXPECT_EQ(busy.busy()->holder, (*held)->owner());
  EXPECT_FALSE(one->try_acquire("a", fair()));
  held.reset();
  patient.join();
  EXPECT_EQ(places_in_queue(), 0U);
  EXPECT_FALSE(is_held());
}

// Offers that last as long as a lease, so that no pause of the machine makes a waiter confirm. One
// bound on time is left: a client that has found a lock busy queues for it without trying first,
// for QueuedWaiters::busy_for. A test that waits twice needs less than that between its two waits.
class Offered : public HandOver {
 protected:
  std::unique_ptr<Client> client_with_long_offers() {
    ClientOptions patient = options(1, &events);
    patient.queue_policy.claim_window = std::chrono::hours{1};
    return std::make_unique<Client>(backend, patient);
  }
  // One section while another client holds the lock and then releases it. How many commands both
  // sent from when the waiter asked.
  int wait_once(Client& holder, Client& waiter, bool enters_by_offer) {
    LockOptions options = fair();
    options.enters_by_offer = enters_by_offer;
    std::optional<AcquireResult> held(holder.acquire("a", fair()));
    EXPECT_TRUE(*held);
    const int asked_before = asked();
    std::thread thread([&] { EXPECT_TRUE(waiter.acquire("a", options)); });
    EXPECT_TRUE(test::eventually([&] { return places_in_queue() == 1; }));
    held.reset();
    thread.join();
    EXPECT_EQ(places_in_queue(), 0U);
    return asked() - asked_before;
  }
};

TEST_F(Offered, AWaiterSendsTwoCommandsAndTheHolderOneWhereTheLockWasBusyAMomentAgo) {
  const auto holder = client_with_long_offers();
  const auto waiter = client_with_long_offers();
  wait_once(*holder, *waiter, true);  // tries first, and subscribes
  EXPECT_EQ(wait_once(*holder, *waiter, true), 3) << "queues up, and a release each";
  EXPECT_EQ(wait_once(*holder, *waiter, false), 4) << "confirms, for the whole ttl";
}

TEST_F(HandOver, WhoAsksForAnotherTtlIsGrantedItByTheStore) {
  const auto one = client(8);
  std::optional<AcquireResult> held(one->acquire("a", fair(seconds{60})));
  std::thread other([&] {
    AcquireResult lock = one->acquire("a", fair(seconds{90}));
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_EQ(lock->ttl(), Ttl(seconds{90}));
  });
  ASSERT_TRUE(waiting(1));
  const int asked_before = asked();
  held.reset();
  other.join();
  EXPECT_GE(asked() - asked_before, 2);  // two releases: it has an offer of the store
}

TEST_F(HandOver, ALeaseThatIsNotRenewedIsNeverMadeOfAnothersRest) {
  const auto one = client(8);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  const OwnerToken owner = (*held)->owner();
  std::thread other([&] {
    LockOptions options = fair();
    options.renew = false;
    AcquireResult lock = one->acquire("a", options);
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_NE(lock->owner(), owner);
  });
  ASSERT_TRUE(waiting(1));
  held.reset();
  other.join();
}

TEST_F(HandOver, ALeaseThatIsWantedWholeIsNeverMadeOfAnothersRest) {
  const auto one = client(8);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  const OwnerToken owner = (*held)->owner();
  const TimePoint end_of_the_first = (*held)->certain_until();
  std::thread other([&] {
    LockOptions options = fair();
    options.whole_ttl = true;
    AcquireResult lock = one->acquire("a", options);
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_NE(lock->owner(), owner);
    EXPECT_GT(lock->certain_until(), end_of_the_first);
    EXPECT_GT(lock->remaining(), seconds{50});
  });
  ASSERT_TRUE(waiting(1));
  const int asked_before = asked();
  held.reset();
  other.join();
  EXPECT_GE(asked() - asked_before, 3);  // release, claim, release
}

TEST_F(HandOver, TheStoreReservesATokenForEachSection) {
  const auto one = client(8);
  AcquireResult lock = one->acquire("a", fair());
  ASSERT_TRUE(lock);
  const auto last_of = [](KeyValueStore* keys,
                          Key counter) -> Task<Result<std::optional<std::string>>> {
    co_return co_await keys->get(std::move(counter));
  };
  const auto connection = store->open();
  const auto last = run(last_of(connection.get(), fencing_key(Key("a"))));
  ASSERT_TRUE(last && *last);
  EXPECT_EQ(**last, std::to_string(lock->fencing().value() + 7));
}

TEST_F(HandOver, ALostLockIsAskedForAnewWhateverItsHolderDoes) {
  const auto one = client(8);
  AcquireResult lost = one->acquire("a", fair(seconds{3}));
  ASSERT_TRUE(lost);
  std::thread waiter([&] {
    AcquireResult lock = one->acquire("a", fair(seconds{3}));
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_NE(lock->owner(), lost->owner());
    EXPECT_GT(lock->fencing(), lost->fencing());
    EXPECT_TRUE(eventually([&] { return lost->loss().has_value(); }));
    // Ends the renewal of the lost one, and touches nothing of this one.
    EXPECT_EQ(*lost->release(), ReleaseOutcome::not_holder);
    EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
  });
  ASSERT_TRUE(waiting(1));
  erase_key();
  waiter.join();  // while the guard of what was lost is still there
}

TEST_F(HandOver, ALongSectionIsRenewedAndThenReleasedAtTheStore) {
  const auto one = client(8);
  std::optional<AcquireResult> held(one->acquire("a", fair(seconds{3})));
  const OwnerToken owner = (*held)->owner();
  std::thread waiter([&] {
    AcquireResult lock = one->acquire("a", fair(seconds{3}));
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_NE(lock->owner(), owner);
  });
  ASSERT_TRUE(waiting(1));
  ASSERT_TRUE(eventually([&] { return events.count(EventKind::renewed) >= 1; }));
  held.reset();
  waiter.join();
}

Task<void> section_on_loop(Client* client, int* counter, std::atomic<int>* inside) {
  const LockName name = *LockName::parse("a");
  const LockOptions options = fair();
  AcquireResult lock = co_await client->acquire_async(name, options);
  EXPECT_TRUE(lock) << lock.why_not();
  EXPECT_EQ(++*inside, 1);
  const TimePoint later = client->loop().now() + Duration(100);
  co_await client->loop().sleep_until(later);
  ++*counter;
  --*inside;
  const Result<ReleaseOutcome> released = co_await lock->release_async();
  EXPECT_TRUE(released);
}

TEST_F(HandOver, CoroutinesAndThreadsStandInOneLine) {
  std::atomic<int> inside = 0;
  int counter = 0;
  {
    const auto one = client(8);
    std::optional<AcquireResult> held(one->acquire("a", fair()));
    for (int i = 0; i < 20; ++i) one->spawn(section_on_loop(one.get(), &counter, &inside));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 5; ++n) {
          const SectionResult section = one->with_lock(
              "a",
              [&](Guard&) {
                EXPECT_EQ(++inside, 1);
                ++counter;
                --inside;
              },
              fair());
          EXPECT_TRUE(section);
        }
      });
    }
    EXPECT_TRUE(waiting(24));
    held.reset();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(counter, 40);
  // Forty-one sections; a grant has eight of them, and two commands.
  EXPECT_LT(asked(), 41);
}

TEST_F(HandOver, ACoroutineThatIsCancelledInTheQueueOfTheStoreLeavesIt) {
  const auto one = client(8);
  const auto other = client(8);
  std::optional<AcquireResult> held(other->acquire("a", fair()));
  std::stop_source stop;
  std::atomic<bool> cancelled = false;
  const auto wait = [](Client* by, std::stop_token token, std::atomic<bool>* done) -> Task<void> {
    const LockName name = *LockName::parse("a");
    LockOptions options = fair();
    options.stop = token;
    const AcquireResult refused = co_await by->acquire_async(name, options);
    *done = refused.error() != nullptr && refused.error()->code() == Errc::cancelled;
  };
  one->spawn(wait(one.get(), stop.get_token(), &cancelled));
  ASSERT_TRUE(eventually([&] { return places_in_queue() == 1; }));
  stop.request_stop();
  ASSERT_TRUE(eventually([&] { return cancelled.load(); }));
  EXPECT_EQ(places_in_queue(), 0U);
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  EXPECT_FALSE(is_held());
  held.reset();
}

}  // namespace
}  // namespace interlock
