// One try, release, and what becomes of an acquire when the store fails.
#include <gmock/gmock.h>

#include "lock_client_world.hpp"

namespace interlock {
namespace {

using scripted::Fate;
using scripted::LockClientWorld;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr auto claim = OperationKind::claim;
constexpr auto release = OperationKind::release;

class LockClientTest : public LockClientWorld {
 protected:
  // A waiter that polls a foreign holder: no subscription in the way.
  Task<Result<AcquireOutcome>> polling_waiter(std::optional<Duration> wait = std::nullopt) {
    store.put("deploy", "redis-py-token");
    auto task = acquiring(wait);
    EXPECT_EQ(store.commands(), 1);
    return task;
  }
};

TEST_F(LockClientTest, AFreeLockCostsOneCommand) {
  auto task = acquiring();
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(granted(outcome));
  EXPECT_EQ(std::get<Lease>(*outcome).owner(), OwnerToken("il1:1"));
  EXPECT_EQ(store.commands(), 1);
  EXPECT_EQ(sink.kinds(), "acquired");
}

TEST_F(LockClientTest, EveryAcquireHasATokenOfItsOwn) {
  const auto first = acquiring().take();
  other_releases("il1:1");
  const auto second = acquiring().take();
  EXPECT_NE(std::get<Lease>(first.value()).owner(), std::get<Lease>(second.value()).owner());
}

TEST_F(LockClientTest, WithNoTimeToWaitTriesOnce) {
  other_takes();
  for (const Duration wait : {Duration{0}, Duration{-5}}) {
    auto task = acquiring(wait);
    ASSERT_TRUE(task.done());
    const auto outcome = task.take();
    ASSERT_TRUE(busy(outcome));
    EXPECT_EQ(std::get<Busy>(*outcome).holder, OwnerToken(std::string(other)));
  }
  EXPECT_EQ(store.commands(), 2);
  EXPECT_EQ(sink.kinds(), "");
}

TEST_F(LockClientTest, AGivenOwnerTokenIsTheOneThatIsUsed) {
  auto task = client.acquire(scripted::lock_name("deploy"), OwnerToken("il1:mine"),
                             AcquireOptions(), &cancellation);
  task.start();
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(holder(), "il1:mine");
}

TEST_F(LockClientTest, WorksWithoutASinkAndWithoutCancellation) {
  LockClient quiet(store, lock, time, tokens);
  other_takes();
  auto task = quiet.acquire(scripted::lock_name("deploy"), AcquireOptions());
  task.start();
  other_releases();
  time.settle();
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(LockClientTest, ReleaseTellsHowLongItTook) {
  const auto outcome = acquiring().take();
  const Lease lease = std::get<Lease>(outcome.value());
  store.before_next(release, [&] { time.advance(milliseconds{3}); });
  EXPECT_EQ(run(client.release(lease)).value(), ReleaseOutcome::released);
  EXPECT_EQ(sink.kinds(), "acquired, released");
  EXPECT_EQ(sink.events.back().took, milliseconds{3});
  EXPECT_EQ(sink.events.back().fencing, lease.fencing());
}

TEST_F(LockClientTest, AReleaseThatFailedIsToldAsAnError) {
  const auto outcome = acquiring().take();
  store.next(release, Fate::unavailable);
  const auto released = run(client.release(std::get<Lease>(outcome.value())));
  EXPECT_TRUE(failed_with(released, Errc::unavailable));
  EXPECT_EQ(sink.kinds(), "acquired, error");
  ASSERT_TRUE(sink.events.back().error);
  EXPECT_EQ(sink.events.back().error->code(), Errc::unavailable);
}

// --- a store that fails -----------------------------------------------------------------------

TEST_F(LockClientTest, AnAcquireOutlastsAStoreThatIsOutOfReachAtItsFirstTry) {
  store.weather = Fate::unavailable;
  auto task = acquiring();
  time.advance(seconds{9});
  EXPECT_FALSE(task.done());
  EXPECT_GT(sink.count(EventKind::error), 0);
  store.weather = Fate::served;
  time.advance(seconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(LockClientTest, AnAcquireFailsAfterTheLimitIfTheStoreIsOutOfReachFromItsFirstTryOn) {
  store.weather = Fate::unavailable;
  auto task = acquiring();
  time.advance(seconds{10} - milliseconds{1});
  EXPECT_FALSE(task.done());
  time.advance(seconds{1});
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(failed_with(outcome, Errc::unavailable));
  EXPECT_EQ(outcome.error().detail(), "scripted: not connected (tried for 10 s)");
}

TEST_F(LockClientTest, AnAcquireThatFailsSaysToTheNearestSecondForHowLongItHasTried) {
  store.weather = Fate::unavailable;
  auto task = acquiring(milliseconds{1990});
  time.advance(seconds{2});
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.take().error().detail(), "scripted: not connected (tried for 2 s)");
}

TEST_F(LockClientTest, AnAcquireWithAWaitOfZeroFailsAtOnceIfTheStoreIsOutOfReach) {
  store.weather = Fate::unavailable;
  auto task = acquiring(Duration{0});
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(failed_with(outcome, Errc::unavailable));
  EXPECT_EQ(outcome.error().detail(), "scripted: not connected");
  EXPECT_EQ(store.commands(), 1);
}

TEST_F(LockClientTest, AnAcquireWithAnOutageLimitOfZeroFailsAtOnceIfTheStoreIsOutOfReach) {
  WaitPolicy policy;
  policy.outage_limit = Duration{0};
  LockClient impatient(store, lock, time, tokens, &sink, policy);
  store.weather = Fate::unavailable;
  auto task = impatient.acquire(scripted::lock_name("deploy"), AcquireOptions());
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::unavailable));
  EXPECT_EQ(store.commands(), 1);
}

TEST_F(LockClientTest, AnAcquireKeepsTryingForEverIfTheOutageLimitSaysSo) {
  WaitPolicy policy;
  policy.outage_limit = Duration::max();
  LockClient patient(store, lock, time, tokens, &sink, policy);
  store.weather = Fate::unavailable;
  auto task = patient.acquire(scripted::lock_name("deploy"), AcquireOptions());
  task.start();
  time.advance(std::chrono::hours{24});
  EXPECT_FALSE(task.done());
  store.weather = Fate::served;
  time.advance(seconds{1});
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(LockClientTest, ARefusalIsSaidAtOnceAlsoWhileWaiting) {
  auto task = polling_waiter();
  store.weather = Fate::rejected;
  time.advance(milliseconds{100});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::rejected));
  EXPECT_EQ(store.commands(), 2);
}

TEST_F(LockClientTest, AnOutageWhileWaitingIsWaitedOut) {
  auto task = polling_waiter();
  store.weather = Fate::unavailable;
  time.advance(seconds{9});
  EXPECT_FALSE(task.done());
  EXPECT_GT(sink.count(EventKind::error), 0);
  store.weather = Fate::served;
  store.lose_key("deploy");
  time.advance(seconds{2});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(LockClientTest, AnOutageIsAskedAfterLessAndLessOften) {
  auto task = polling_waiter();
  store.weather = Fate::unavailable;
  time.advance(milliseconds{100});
  const std::vector<std::int64_t> pauses{20, 40, 80, 160, 320, 640, 1000, 1000};
  int expected = 2;
  for (const std::int64_t pause : pauses) {
    EXPECT_EQ(store.commands(), expected);
    time.advance(milliseconds{pause} - Duration{1});
    EXPECT_EQ(store.commands(), expected);
    time.advance(Duration{1});
    ++expected;
  }
}

TEST_F(LockClientTest, AnOutageLongerThanItsLimitEndsTheWait) {
  auto task = polling_waiter();
  store.weather = Fate::unavailable;
  time.advance(milliseconds{100} + seconds{10} - milliseconds{1});
  EXPECT_FALSE(task.done());
  time.advance(seconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::unavailable));
}

TEST_F(LockClientTest, EachOutageHasTheWholeLimit) {
  auto task = polling_waiter();
  for (int outage = 0; outage < 3; ++outage) {
    store.weather = Fate::unavailable;
    time.advance(seconds{8});
    store.weather = Fate::served;
    time.advance(seconds{2});
    EXPECT_FALSE(task.done()) << outage;
  }
}

TEST_F(LockClientTest, AnOutageDoesNotOutlastTheDeadline) {
  auto task = polling_waiter(seconds{1});
  store.weather = Fate::unavailable;
  time.advance(seconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::unavailable));
}

TEST_F(LockClientTest, AnOutageCanBeCancelled) {
  auto task = polling_waiter();
  store.weather = Fate::unavailable;
  time.advance(seconds{3});
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
}

TEST_F(LockClientTest, AClaimThatStayedUnknownIsWithdrawn) {
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::reply_lost);
  auto task = acquiring(Duration{0});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::indeterminate));
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_EQ(store.count(release), 1);
}

TEST_F(LockClientTest, AClaimThatStayedUnknownWhileWaitingIsWithdrawnOnCancellation) {
  auto task = polling_waiter();
  store.lose_key("deploy");
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::reply_lost);
  time.advance(milliseconds{100});
  EXPECT_EQ(holder(), "il1:1");
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  EXPECT_EQ(holder(), std::nullopt);
}

TEST_F(LockClientTest, AClaimThatStayedUnknownIsGrantedOnceTheStoreIsBack) {
  auto task = polling_waiter();
  store.lose_key("deploy");
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::reply_lost);
  time.advance(milliseconds{120});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.count(release), 0);
}

TEST_F(LockClientTest, AClaimThatCannotBeWithdrawnIsReportedAsPerhapsHeld) {
  auto task = polling_waiter();
  store.lose_key("deploy");
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::reply_lost);
  time.advance(milliseconds{100});
  store.weather = Fate::unavailable;
  time.advance(seconds{12});
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(failed_with(outcome, Errc::indeterminate));
  const std::string said = outcome.error().detail();
  EXPECT_THAT(said, HasSubstr("may be held until its ttl ends"));
  EXPECT_EQ(said.find("its ttl ends"), said.rfind("its ttl ends")) << said;
  EXPECT_EQ(holder(), "il1:1");
  EXPECT_EQ(sink.events.back().kind, EventKind::error);
}

TEST_F(LockClientTest, ACancelledClaimThatCannotBeWithdrawnIsReportedAsPerhapsHeld) {
  auto task = polling_waiter();
  store.lose_key("deploy");
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::reply_lost);
  time.advance(milliseconds{100});
  store.weather = Fate::unavailable;
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(failed_with(outcome, Errc::indeterminate));
  EXPECT_THAT(outcome.error().detail(),
              HasSubstr("'deploy': the wait was cancelled, and a claim that went unanswered could "
                        "not be withdrawn ("));
}

TEST_F(LockClientTest, WithdrawingNeverTouchesTheKeyOfAnother) {
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::request_lost);
  store.before_next(release, [&] { other_takes(); });
  auto task = acquiring(Duration{0});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::indeterminate));
  EXPECT_EQ(holder(), other);
}

TEST_F(LockClientTest, ManyAcquiresUnderWayAreServedOneByOne) {
  std::vector<Task<Result<AcquireOutcome>>> tasks;
  for (int each = 0; each < 10; ++each) {
    tasks.push_back(client.acquire(scripted::lock_name("deploy"), AcquireOptions()));
    tasks.back().start();
  }
  std::optional<FencingToken> last;
  for (int served = 0; served < 10; ++served) {
    const auto done = [](const auto& task) { return task.done(); };
    ASSERT_EQ(std::count_if(tasks.begin(), tasks.end(), done), 1);
    const auto next = std::find_if(tasks.begin(), tasks.end(), done);
    const auto outcome = next->take();
    const Lease lease = std::get<Lease>(outcome.value());
    EXPECT_TRUE(!last || lease.fencing() > *last);
    last = lease.fencing();
    tasks.erase(next);
    EXPECT_EQ(run(client.release(lease)).value(), ReleaseOutcome::released);
    time.settle();
  }
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_EQ(store.subscriptions(), 0u);
}

}  // namespace
}  // namespace interlock
