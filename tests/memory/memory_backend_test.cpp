// What is special to the memory store; what it shares with all stores is in tests/conformance.
#include "interlock/memory/memory_backend.hpp"

#include <gmock/gmock.h>
#include <atomic>
#include <thread>

#include "../conformance/blocking_store.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::Eq;
using testing::Optional;
using namespace testing_support;  // NOLINT(google-build-using-namespace)
using testing::IsEmpty;

TEST(MemoryBackend, StoresOfOneBackendShareKeysAndStoresOfAnotherDoNot) {
  const auto shared = memory::backend();
  const auto one = shared->open();
  const auto two = shared->open();
  const auto stranger = memory::backend()->open();

  ASSERT_TRUE(now(one->set(Key("k"), "v")));
  EXPECT_THAT(now(two->get(Key("k"))), Holds(Optional(Eq("v"))));
  EXPECT_THAT(now(stranger->get(Key("k"))), Holds(std::nullopt));
}

TEST(MemoryBackend, ExpiresKeysByTheInjectedClock) {
  StoreTime time(seconds(1));
  const auto backend = memory::backend([&] { return time; });
  const auto store = backend->open();

  ASSERT_TRUE(now(store->claim(Key("k"), OwnerToken("il1:a"), Ttl(milliseconds(1000)))));
  time += seconds(1);
  EXPECT_THAT(*backend->held_locks(), ElementsAre(Key("k")));
  time += milliseconds(1);
  EXPECT_THAT(*backend->held_locks(), IsEmpty());
  EXPECT_THAT(now(store->get(Key("k"))), Holds(std::nullopt));
}

TEST(MemoryBackend, ForgetsExpiredKeysThatNobodyAsksForAgain) {
  // Through the clock alone: 1000 locks of one claim each, then time passes, then other work. The
  // number of keys is not visible, but what held_locks() walks over is every counter.
  StoreTime time(seconds(1));
  const auto backend = memory::backend([&] { return time; });
  const auto store = backend->open();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(now(store->claim(Key("order/" + std::to_string(i)), OwnerToken("il1:a"),
                                 Ttl(milliseconds(10)))));
  }
  time += std::chrono::hours(25);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(now(store->get(Key("other"))));
  // Back to when they existed: what was only hidden would be visible again.
  time = StoreTime(seconds(1));
  EXPECT_THAT(*backend->held_locks(), IsEmpty());
}

TEST(MemoryBackend, PublishAnswersHowManySubscriptionsHeard) {
  const auto backend = memory::backend();
  const auto one = backend->open();
  auto two = backend->open();
  ASSERT_TRUE(now(one->subscribe(Channel("c"))));
  ASSERT_TRUE(now(one->subscribe(Channel("other"))));
  ASSERT_TRUE(now(two->subscribe(Channel("c"))));
  EXPECT_THAT(now(one->publish(Channel("c"), "")), Holds(2));
  two.reset();
  EXPECT_THAT(now(one->publish(Channel("c"), "")), Holds(1));
}

TEST(MemoryBackend, SaysThatItServesOneProcessOnly) {
  const auto findings = memory::backend()->inspect();
  ASSERT_TRUE(findings);
  EXPECT_EQ(findings->front().grade, Finding::Grade::warning);
  EXPECT_EQ(findings->front().subject, "reach");
}

TEST(MemoryBackend, ThreadsThatWaitForOneLockNeverHoldItTogether) {
  constexpr int threads = 8;
  constexpr int sections = 50;
  const auto backend = memory::backend();
  int unguarded = 0;  // the thread sanitizer sees a race here if the lock does not order them
  std::atomic<int> timed_out{0};

  std::vector<std::thread> crowd;
  for (int t = 0; t < threads; ++t) {
    crowd.emplace_back([&, t] {
      const auto store = backend->open();
      BlockingTime time;
      NumberedTokens tokens(std::to_string(t));
      LeaseLock protocol(*store, time);
      LockClient client(*store, protocol, time, tokens);
      AcquireOptions options(Ttl(seconds(60)));
      options.wait = seconds(60);
      for (int i = 0; i < sections; ++i) {
        const auto got = run(client.acquire(*LockName::parse("counter"), options));
        if (!got || !std::holds_alternative<Lease>(*got)) {
          ++timed_out;
          return;
        }
        ++unguarded;
        // Long enough for the others to run into the held lock and wait.
        std::this_thread::sleep_for(Duration(50));
        static_cast<void>(run(client.release(std::get<Lease>(*got))));
      }
    });
  }
  for (auto& thread : crowd) thread.join();
  EXPECT_EQ(timed_out, 0);
  EXPECT_EQ(unguarded, threads * sections);
}

TEST(MemoryBackend, AnInterruptionMayDieWithTheWaitThatItEnds) {
  interrupt_waits_that_own_the_interruption(*memory::backend()->open(), 200);
}

TEST(MemoryBackend, AWaitingThreadIsInterruptedFromAnother) {
  const auto store = memory::backend()->open();
  const auto subscription = now(store->subscribe(Channel("c")));
  ASSERT_TRUE(subscription);
  std::thread other([&] { static_cast<void>(now(store->interrupt(*subscription))); });
  // Whichever comes first, the wait or the interruption: it ends long before its time.
  EXPECT_THAT(now(store->await_message(*subscription, local_now() + seconds(60))), Holds(false));
  other.join();
}

}  // namespace
}  // namespace interlock
