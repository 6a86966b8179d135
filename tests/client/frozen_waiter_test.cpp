// A waiter of a fair lock that is frozen at the front of the queue, and what those behind it do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "hand_over.hpp"
#include "interlock/client.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using test::fair;

class BehindAFrozenWaiter : public test::HandOver {
 protected:
  std::unique_ptr<Client> client_with_brief_offers(std::int64_t sections) {
    ClientOptions brief = options(sections, &events);
    brief.queue_policy.claim_window = milliseconds{100};
    return std::make_unique<Client>(backend, brief);
  }
};

// A waiter that never answers, although the store sees that it listens. Without the end of its
// offer, those behind it would wait until the holder's lease could have ended.
class Frozen {
 public:
  explicit Frozen(Backend& store, const char* lock = "a") : store_(store.open()) {
    const auto queue_up = [](KeyValueStore* at, Key key) -> Task<void> {
      const Result<SubscriptionId> wake_up = co_await at->subscribe(Channel("frozen"));
      EXPECT_TRUE(wake_up);
      std::vector<Key> keys{key, fencing_key(key), queue_key(key)};
      std::vector<std::string> arguments{"il1:frozen/fair", "60000", "3660000", "1", "100",
                                         "frozen",          "60000", "0",       "0"};
      const auto place =
          co_await at->run(queue_claim_script(), std::move(keys), std::move(arguments));
      EXPECT_TRUE(place);
    };
    run(queue_up(store_.get(), Key(lock)));
  }

 private:
  std::unique_ptr<KeyValueStore> store_;
};

TEST_F(BehindAFrozenWaiter, EachWaitsForTheEndOfItsOffer) {
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

TEST_F(BehindAFrozenWaiter, ALineWaitsForTheEndOfItsOffer) {
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

TEST_F(BehindAFrozenWaiter, AtTwoLocksEachWaitsForTheEndOfItsOwnLocksOffer) {
  ClientOptions offers = options(1, &events);
  offers.queue_policy.claim_window = seconds{1};
  Client one(backend, offers);
  std::optional<AcquireResult> held_a(one.acquire("a", fair()));
  std::optional<AcquireResult> held_b(one.acquire("b", fair()));
  const Frozen frozen_at_a(*store, "a");
  const Frozen frozen_at_b(*store, "b");
  std::stop_source stop;
  std::atomic<int> served = 0;
  const auto want = [&](const char* lock) {
    return std::thread([&, lock] {
      LockOptions patient = fair();
      patient.stop = stop.get_token();
      if (one.acquire(lock, patient)) ++served;
    });
  };
  std::thread at_a = want("a");
  std::thread at_b = want("b");
  EXPECT_TRUE(eventually([&] { return test::places_in_queue(*store, "a") == 2; }));
  EXPECT_TRUE(eventually([&] { return test::places_in_queue(*store, "b") == 2; }));
  EXPECT_TRUE((*held_a)->release());
  std::this_thread::sleep_for(milliseconds{100});  // so that its offer ends later
  EXPECT_TRUE((*held_b)->release());
  // Nothing else would make them look before the ends of the leases that they were told of.
  EXPECT_TRUE(eventually([&] { return served == 2; })) << served;
  stop.request_stop();
  at_a.join();
  at_b.join();
}

}  // namespace
}  // namespace interlock
