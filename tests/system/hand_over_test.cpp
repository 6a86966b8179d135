// A client whose callers line up and hand over what the store has granted: real threads, the memory
// store, and a count of what the store was asked.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_keys.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/queue_scripts.hpp"
#include "places_in_queue.hpp"
#include "silent_store.hpp"

namespace interlock {
namespace {

using interlock::testing::SilentBackend;
using std::chrono::seconds;

bool eventually(const std::function<bool()>& condition) {
  const TimePoint limit = local_now() + seconds(20);
  while (!condition()) {
    if (local_now() > limit) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

class Counter final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    ++counts_[static_cast<std::size_t>(event.kind)];
  }
  int count(EventKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  std::atomic<int> counts_[16] = {};
};

LockOptions fair(milliseconds ttl = seconds{60}) {
  LockOptions options{Ttl(ttl)};
  options.fair = true;
  return options;
}

// A store, and a client on it that hands over; more clients may be made.
class HandOver : public ::testing::Test {
 protected:
  static ClientOptions options(std::int64_t sections, EventSink* events) {
    ClientOptions options;
    options.hand_over.sections = sections;
    options.hand_over.within = std::chrono::hours{1};  // no timing decides a test
    options.events = events;
    return options;
  }
  std::unique_ptr<Client> client(std::int64_t sections) {
    return std::make_unique<Client>(backend, options(sections, &events));
  }
  std::unique_ptr<Client> client_with_brief_offers(std::int64_t sections) {
    ClientOptions brief = options(sections, &events);
    brief.queue_policy.claim_window = milliseconds{100};
    return std::make_unique<Client>(backend, brief);
  }
  int asked() const {
    return backend->count(OperationKind::run) + backend->count(OperationKind::renew);
  }
  bool waiting(int callers) {
    return eventually([&] { return events.count(EventKind::waiting) >= callers; });
  }
  std::size_t places_in_queue() const { return test::places_in_queue(*store, "a"); }
  void erase_key() {
    const auto erase = [](KeyValueStore* keys) -> Task<Result<bool>> {
      co_return co_await keys->erase(Key("a"));
    };
    const auto connection = store->open();
    EXPECT_TRUE(*run(erase(connection.get())));
  }

  std::shared_ptr<Backend> store = memory::backend();
  std::shared_ptr<SilentBackend> backend =
      std::make_shared<SilentBackend>(store, SilentBackend::OnLoops::offload);
  Counter events;
};

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
  EXPECT_TRUE(store->held_locks()->empty());
}

TEST_F(HandOver, WhoeverIsNextQueuesWhileTheLastSectionGoesOn) {
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
  // The first claim; and of the next one, which has no ear yet, one try and its place. It knows
  // that its process holds the lock, and does not try on a connection of its own before.
  EXPECT_EQ(asked(), 3);
  may_end = true;
  last.join();
  next.join();
  EXPECT_TRUE(store->held_locks()->empty());
}

// Or all who come to the store meanwhile would be served before them.
TEST_F(HandOver, WhoeverWaitsBehindALongSectionQueuesBeforeThoseWhoComeLater) {
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

// It listens, as far as the store can tell, and never answers. What those behind it know else is
// only when the lease could have ended that they were told of.
class Frozen {
 public:
  explicit Frozen(Backend& store, const char* lock = "a") : store_(store.open()) {
    const auto queue_up = [](KeyValueStore* at, Key key) -> Task<void> {
      const Result<SubscriptionId> ear = co_await at->subscribe(Channel("frozen"));
      EXPECT_TRUE(ear);
      std::vector<Key> keys{key, fencing_key(key), queue_key(key)};
      std::vector<std::string> arguments{"il1:frozen/fair", "60000", "1", "100",
                                         "frozen",          "60000", "0", "0"};
      const auto place =
          co_await at->run(queue_claim_script(), std::move(keys), std::move(arguments));
      EXPECT_TRUE(place);
    };
    run(queue_up(store_.get(), Key(lock)));
  }

 private:
  std::unique_ptr<KeyValueStore> store_;
};

TEST_F(HandOver, BehindAFrozenWaiterTheyWaitForTheEndOfItsOffer) {
  const auto one = client_with_brief_offers(1);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  const Frozen frozen(*store);
  std::vector<std::thread> threads;
  std::atomic<int> served = 0;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&] {
      EXPECT_TRUE(one->acquire("a", fair()));
      ++served;
    });
  }
  EXPECT_TRUE(eventually([&] { return places_in_queue() == 4; }));
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  EXPECT_TRUE(eventually([&] { return served == 3; }));
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HandOver, BehindAFrozenWaiterALineWaitsForTheEndOfItsOffer) {
  const auto one = client_with_brief_offers(2);
  std::optional<AcquireResult> held(one->acquire("a", fair()));
  const Frozen frozen(*store);
  std::vector<std::thread> threads;
  std::atomic<int> served = 0;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&] {
      AcquireResult lock = one->acquire("a", fair());
      EXPECT_TRUE(lock);
      // The first has the grant's last section, and the next one queues meanwhile.
      const bool is_first = served == 0;
      EXPECT_TRUE(!is_first || eventually([&] { return places_in_queue() == 2; }));
      ++served;
    });
    ASSERT_TRUE(waiting(number + 1));
  }
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  EXPECT_TRUE(eventually([&] { return served == 3; }));
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HandOver, BehindTheFrozenWaitersOfTwoLocksEachWaitsForTheEndOfItsOwnOffer) {
  ClientOptions offers = options(1, &events);
  offers.queue_policy.claim_window = milliseconds{500};
  Client one(backend, offers);
  std::optional<AcquireResult> held_a(one.acquire("a", fair(seconds{10})));
  std::optional<AcquireResult> held_b(one.acquire("b", fair(seconds{10})));
  const Frozen frozen_at_a(*store, "a");
  const Frozen frozen_at_b(*store, "b");
  const auto want = [&](const char* lock, TimePoint end_of_lease) {
    return std::thread([&one, lock, end_of_lease] {
      EXPECT_TRUE(one.acquire(lock, fair())) << lock;
      EXPECT_LT(local_now(), end_of_lease) << lock;
    });
  };
  std::thread at_a = want("a", (*held_a)->certain_until());
  std::thread at_b = want("b", (*held_b)->certain_until());
  EXPECT_TRUE(eventually([&] { return test::places_in_queue(*store, "a") == 2; }));
  EXPECT_TRUE(eventually([&] { return test::places_in_queue(*store, "b") == 2; }));
  EXPECT_TRUE((*held_a)->release());
  std::this_thread::sleep_for(milliseconds{250});  // so that its offer ends later
  EXPECT_TRUE((*held_b)->release());
  at_a.join();
  at_b.join();
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
  EXPECT_TRUE(store->held_locks()->empty());
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
  EXPECT_TRUE(store->held_locks()->empty());
}

TEST_F(HandOver, WhoAsksForAnotherTtlIsGrantedItByTheStore) {
  const auto one = client(8);
  std::optional<AcquireResult> held(one->acquire("a", fair(seconds{60})));
  std::thread other([&] {
    AcquireResult lock = one->acquire("a", fair(seconds{90}));
    ASSERT_TRUE(lock) << lock.why_not();
    EXPECT_EQ(lock->ttl(), Ttl(seconds{90}));
    EXPECT_GT(lock->remaining(), seconds{80});
  });
  ASSERT_TRUE(waiting(1));
  const int asked_before = asked();
  held.reset();
  other.join();
  EXPECT_GE(asked() - asked_before, 3);  // release, claim, release
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
  AcquireResult lost = one->acquire("a", fair(milliseconds{300}));
  ASSERT_TRUE(lost);
  std::thread waiter([&] {
    AcquireResult lock = one->acquire("a", fair(milliseconds{300}));
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
  std::optional<AcquireResult> held(one->acquire("a", fair(milliseconds{150})));
  const OwnerToken owner = (*held)->owner();
  std::thread waiter([&] {
    AcquireResult lock = one->acquire("a", fair(milliseconds{150}));
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
  EXPECT_TRUE(store->held_locks()->empty());
  held.reset();
}

}  // namespace
}  // namespace interlock
