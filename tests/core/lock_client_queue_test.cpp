// A waiter with a place in a queue, and a lock that nobody hands over.
#include "interlock/protocols/queue_lock.hpp"
#include "lock_client_world.hpp"

namespace interlock {
namespace {

using scripted::LockClientWorld;
using std::chrono::seconds;

constexpr auto run_script = OperationKind::run;
constexpr auto remaining = OperationKind::remaining;

class Queueing : public LockClientWorld {
 protected:
  // Another holds it and would hand it over; the waiter has taken its place.
  Task<Result<AcquireOutcome>> settled(std::int64_t ttl_ms = 30'000) {
    other_takes(ttl_ms, "il1:other/fair");
    auto task = fair_client.acquire(scripted::lock_name("deploy"), AcquireOptions(), &cancellation);
    task.start();
    EXPECT_EQ(store.listeners(), 1u);
    EXPECT_EQ(store.count(run_script), 2);
    return task;
  }

  QueueLock queue{store, time};
  LockClient fair_client{store, queue, time, tokens, &sink};
};

TEST_F(Queueing, AWaiterLooksOncePerIntervalAndKeepsItsPlace) {
  auto task = settled();
  for (int second = 1; second <= 20; ++second) {
    time.advance(seconds{1});
    EXPECT_EQ(store.count(remaining), second / 5);
  }
  EXPECT_EQ(store.count(run_script), 2) << "a place is searched for only when it must be";
  time.advance(seconds{10} + milliseconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Queueing, AWaiterNoticesWithinAnIntervalThatNobodyHoldsTheLockAnyMore) {
  auto task = settled();
  time.advance(seconds{1});
  store.lose_key("deploy");
  time.advance(seconds{4} - Duration{1});
  EXPECT_FALSE(task.done());
  time.advance(Duration{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Queueing, AWaiterClaimsIfItCannotReadTheRemainingTtl) {
  auto task = settled();
  store.next(remaining, scripted::Fate::unavailable);
  time.advance(seconds{5});
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.count(run_script), 3);
  EXPECT_EQ(store.listeners(), 1u);
}

TEST_F(Queueing, AWaiterThatIsRousedClaimsAtOnce) {
  auto task = settled();
  time.advance(seconds{1});
  cancellation.rouse();
  time.settle();
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.count(run_script), 3);
  EXPECT_EQ(store.count(remaining), 0);
}

}  // namespace
}  // namespace interlock
