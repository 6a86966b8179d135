// Waiting for a lock: what wakes a waiter, and what it costs until then.
#include "lock_client_world.hpp"

namespace interlock {
namespace {

using scripted::Fate;
using scripted::LockClientWorld;
using std::chrono::seconds;

constexpr auto claim = OperationKind::claim;
constexpr auto subscribe = OperationKind::subscribe;
constexpr auto await_message = OperationKind::await_message;

class Waiting : public LockClientWorld {};

TEST_F(Waiting, CostsOneCommandInAnIntervalUntilTheReleaseIsAnnounced) {
  auto task = settled_waiter();
  for (int second = 1; second <= 20; ++second) {
    time.advance(seconds{1});
    EXPECT_EQ(store.commands(), 3 + second / 5);
  }
  other_releases();
  EXPECT_FALSE(task.done());
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.commands(), 3 + 4 + 2);  // and claim, unsubscribe
  EXPECT_EQ(store.subscriptions(), 0u);
}

TEST_F(Waiting, LooksAtRandomBetweenHalfAnIntervalAndAWholeOne) {
  tokens.draw = 2'500'000;
  auto task = settled_waiter();
  time.advance(milliseconds{2500} - Duration{1});
  EXPECT_EQ(store.commands(), 3);
  time.advance(Duration{1});
  EXPECT_EQ(store.commands(), 4);
}

TEST_F(Waiting, NoticesWithinAnIntervalThatNobodyHoldsTheLockAnyMore) {
  auto task = settled_waiter();
  time.advance(seconds{1});
  store.lose_key("deploy");  // deleted by hand, flushed, evicted
  time.advance(seconds{4} - Duration{1});
  EXPECT_FALSE(task.done());
  time.advance(Duration{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, EndsWhenTheHoldersReleaseFindsTheLockGone) {
  auto task = settled_waiter();
  store.lose_key("deploy");
  other_releases();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, MissesNoReleaseBetweenItsTryAndItsSubscription) {
  other_takes();
  store.before_next(subscribe, [&] { other_releases(); });
  auto task = acquiring();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.count(await_message), 0);
  EXPECT_EQ(store.subscriptions(), 0u);
}

TEST_F(Waiting, MissesNoReleaseBetweenItsSecondTryAndItsWait) {
  other_takes();
  store.before_next(await_message, [&] { other_releases(); });
  auto task = acquiring();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.count(claim), 3);
}

TEST_F(Waiting, GoesOnWhenAnotherWaiterWasFaster) {
  auto task = settled_waiter();
  other_releases();
  other_takes(30'000, "il1:third");
  time.settle();
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.listeners(), 1u);
  other_releases("il1:third");
  time.settle();
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.count(subscribe), 1);
}

// One release wakes every waiter. Without the pause a hundred waiters would send a hundred claims
// for each section.
TEST_F(Waiting, PausesAfterAReleaseIfItHasLostARaceBefore) {
  auto task = settled_waiter();
  const auto lost_race = [&](const char* holder, const char* next) {
    other_releases(holder);
    other_takes(30'000, next);
    time.settle();
  };
  tokens.draw = 700;
  lost_race("il1:other", "il1:third");
  EXPECT_EQ(store.count(claim), 3);  // the first release is used at once
  lost_race("il1:third", "il1:fourth");
  EXPECT_EQ(store.count(claim), 3);
  time.advance(Duration{699});
  EXPECT_EQ(store.count(claim), 3);
  time.advance(Duration{1});
  EXPECT_EQ(store.count(claim), 4);
  tokens.draw = 2000;  // of 2 ms
  lost_race("il1:fourth", "il1:fifth");
  time.advance(Duration{1000});
  // A release during the pause is not missed.
  other_releases("il1:fifth");
  time.advance(Duration{1000});
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, PausesAfterAReleaseForUpTo64Milliseconds) {
  auto task = settled_waiter();
  tokens.draw = 2 * 64'001 + 64'000;  // 64 ms of 64 ms, and more of a longer pause
  for (int race = 0; race < 12; ++race) {
    other_releases();
    other_takes();
    time.settle();
    EXPECT_LE(store.count(claim), 3 + race);
    time.advance(milliseconds{64} - Duration{1});
    EXPECT_EQ(store.count(claim), race < 7 ? 3 + race : 2 + race) << race;
    time.advance(Duration{1});
    EXPECT_EQ(store.count(claim), 3 + race);
  }
}

TEST_F(Waiting, EndsWithTheHoldersTtlWhenNobodyAnnouncesIt) {
  auto task = settled_waiter();
  time.advance(seconds{30});
  EXPECT_FALSE(task.done());
  time.advance(milliseconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, EndsWithTheHoldersTtlAlsoWithinAnInterval) {
  other_takes(1'000);
  auto task = acquiring();
  time.advance(seconds{1});
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.commands(), 3);
  time.advance(milliseconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, LearnsOfARenewalAndWaitsOn) {
  auto task = settled_waiter();
  time.advance(seconds{20});
  Operation renewal(OperationKind::renew, Key("deploy"));
  renewal.value = other;
  renewal.ttl = seconds{30};
  static_cast<void>(store.carry_out(renewal));
  time.advance(seconds{20});
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.commands(), 3 + 40 / 5);
  EXPECT_EQ(store.listeners(), 1u);
}

TEST_F(Waiting, ForAKeyThatNeverExpiresRechecksNowAndThen) {
  store.put("deploy", "il1:eternal");
  auto task = acquiring();
  EXPECT_EQ(store.count(claim), 2);
  time.advance(seconds{5});
  EXPECT_EQ(store.count(claim), 3);
  store.lose_key("deploy");
  time.advance(seconds{5});
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, PollsAHolderThatWillNotAnnounceItsRelease) {
  store.put("deploy", "redis-py-token");
  auto task = acquiring();
  EXPECT_EQ(store.count(subscribe), 0);
  for (int poll = 1; poll <= 5; ++poll) {
    EXPECT_EQ(store.commands(), poll);
    time.advance(milliseconds{100});
  }
  store.lose_key("deploy");
  time.advance(milliseconds{100});
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, PollsAtRandomBetweenHalfAnIntervalAndAWholeOne) {
  store.put("deploy", "redis-py-token");
  tokens.draw = 50'000;  // the most that can be taken off 100 ms
  auto task = acquiring();
  time.advance(milliseconds{50} - Duration{1});
  EXPECT_EQ(store.commands(), 1);
  time.advance(Duration{1});
  EXPECT_EQ(store.commands(), 2);
}

TEST_F(Waiting, PollsAForeignHolderSoonerWhenItsKeyEndsSooner) {
  store.put("deploy", "redis-py-token", milliseconds{10});
  auto task = acquiring();
  time.advance(milliseconds{11});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.commands(), 2);
}

TEST_F(Waiting, IsNotConfusedByAKeyThatExpiresInAgesToCome) {
  store.put("deploy", "redis-py-token", milliseconds{1'700'000'000'000'000'000});
  auto task = acquiring();
  time.advance(milliseconds{99});
  EXPECT_EQ(store.commands(), 1);
  time.advance(milliseconds{1});
  EXPECT_EQ(store.commands(), 2);
}

TEST_F(Waiting, EndsAtTheDeadlineWithOneLastTryAndSaysWhoHoldsIt) {
  auto task = settled_waiter(seconds{2});
  time.advance(seconds{2} - Duration{1});
  EXPECT_FALSE(task.done());
  time.advance(Duration{1});
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  EXPECT_EQ(std::get<Busy>(outcome.value()).holder, OwnerToken(std::string(other)));
  EXPECT_EQ(std::get<Busy>(outcome.value()).remaining, seconds{28});
  EXPECT_EQ(store.count(claim), 3);
  EXPECT_EQ(store.subscriptions(), 0u);
}

TEST_F(Waiting, TakesALockThatIsFreedAtTheDeadline) {
  auto task = settled_waiter(seconds{2});
  time.advance(seconds{2} - Duration{1});
  store.lose_key("deploy");  // without a message
  time.advance(Duration{1});
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, ForAsLongAsADurationCanSayIsForEver) {
  auto task = settled_waiter(Duration::max());
  time.advance(seconds{29});
  EXPECT_FALSE(task.done());
  other_releases();
  time.settle();
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, MakesALostSubscriptionAnewAndTellsSo) {
  auto task = settled_waiter();
  store.drop_subscriptions();
  EXPECT_FALSE(task.done());
  EXPECT_EQ(sink.count(EventKind::error), 1);
  time.advance(milliseconds{20});
  EXPECT_EQ(store.count(subscribe), 2);
  EXPECT_EQ(store.listeners(), 1u);
  other_releases();
  time.settle();
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(store.subscriptions(), 0u);
}

TEST_F(Waiting, CanBeCancelledWhileALostSubscriptionIsMadeAnew) {
  auto task = settled_waiter();
  store.drop_subscriptions();
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
}

TEST_F(Waiting, PollsAsLongAsItCannotSubscribeAndTellsSo) {
  other_takes();
  store.next(subscribe, Fate::rejected).next(subscribe, Fate::rejected);
  auto task = acquiring();
  EXPECT_EQ(sink.count(EventKind::error), 1);
  time.advance(milliseconds{100});
  EXPECT_EQ(store.count(claim), 2);
  EXPECT_EQ(sink.count(EventKind::error), 2);
  time.advance(milliseconds{100});
  EXPECT_EQ(store.listeners(), 1u);
}

TEST_F(Waiting, TellsWhoIsWaitedForAndThatItWasAcquired) {
  auto task = settled_waiter();
  time.advance(seconds{3});
  other_releases();
  time.settle();
  const auto outcome = task.take();
  EXPECT_EQ(sink.kinds(), "waiting, wait ended, acquired");
  ASSERT_TRUE(sink.events.front().busy);
  EXPECT_EQ(sink.events.front().busy->holder, OwnerToken(std::string(other)));
  const Event& acquired = sink.events.back();
  EXPECT_EQ(acquired.name, scripted::lock_name("deploy"));
  EXPECT_EQ(acquired.fencing, std::get<Lease>(outcome.value()).fencing());
  EXPECT_EQ(acquired.took, seconds{3});
}

TEST_F(Waiting, TellsThatItWaitsAgainAndOnceThatTheWaitHasEnded) {
  auto task = settled_waiter();
  other_releases();
  other_takes(30'000, "il1:third");
  time.settle();
  cancellation.request();
  time.settle();
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  ASSERT_EQ(sink.kinds(), "waiting, waiting, wait ended");
  EXPECT_FALSE(sink.events.at(0).again);
  EXPECT_TRUE(sink.events.at(1).again);
}

TEST_F(Waiting, ACallerThatHasToldOfItsWaitTellsOfTheEndByItself) {
  AcquireOptions options;
  options.wanted_since = time.now() - seconds{5};
  options.has_told_waiting = true;
  other_takes();
  auto task = client.acquire(scripted::lock_name("deploy"), options);
  task.start();
  time.advance(seconds{3});
  other_releases();
  time.settle();
  EXPECT_TRUE(task.take());
  ASSERT_EQ(sink.kinds(), "waiting, acquired");
  EXPECT_TRUE(sink.events.front().again);
  EXPECT_EQ(sink.events.back().took, seconds{8});
}

// --- cancellation -----------------------------------------------------------------------------

TEST_F(Waiting, CancelledBeforeItBeginsSendsNothing) {
  cancellation.request();
  auto task = acquiring();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  EXPECT_TRUE(store.log().empty());
}

TEST_F(Waiting, CancelledWhileAwaitingAMessageEndsAtOnceAndUnsubscribes) {
  auto task = settled_waiter();
  time.advance(seconds{3});
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  EXPECT_EQ(store.count(claim), 2);
  EXPECT_EQ(store.subscriptions(), 0u);
}

TEST_F(Waiting, CancelledWhileSleepingEndsAtOnce) {
  store.put("deploy", "redis-py-token");
  auto task = acquiring();
  EXPECT_EQ(time.sleepers(), 1u);
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  EXPECT_EQ(store.commands(), 1);
}

TEST_F(Waiting, CancelledWhileAClaimIsUnderWayGivesWhatTheStoreAnswers) {
  store.next(claim, Fate::reply_held);
  auto task = acquiring();
  cancellation.request();
  store.release_parked();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Waiting, CancelledWhileAClaimIsUnderWayDoesNotBeginToWait) {
  other_takes();
  store.next(claim, Fate::reply_held);
  auto task = acquiring();
  cancellation.request();
  store.release_parked();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  EXPECT_EQ(store.commands(), 1);
}

TEST_F(Waiting, CancelledWhileSubscribingUnsubscribesAgain) {
  other_takes();
  store.before_next(subscribe, [&] { cancellation.request(); });
  auto task = acquiring();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
  EXPECT_EQ(store.count(claim), 1);
  EXPECT_EQ(store.subscriptions(), 0u);
}

TEST_F(Waiting, CancelledFromInsideWhatItTellsDoesNotSettleDown) {
  class CancellingSink final : public EventSink {
   public:
    CancellingSink(Cancellation& cancellation, int at) : cancellation_(cancellation), at_(at) {}
    void on_event(const Event&) noexcept override {
      if (++told_ == at_) cancellation_.request();
    }

   private:
    Cancellation& cancellation_;
    int at_;
    int told_ = 0;
  };
  // A holder that announces its release is waited for once; a foreign one is asked again and again.
  const std::pair<const char*, int> told_of[] = {
      {"il1:other", 1}, {"redis-py-token", 1}, {"redis-py-token", 2}};
  for (const auto& [holder, at] : told_of) {
    store.put("deploy", holder);
    Cancellation cancelled;
    CancellingSink cancelling(cancelled, at);
    LockClient impatient(store, lock, time, tokens, &cancelling);
    auto task = impatient.acquire(scripted::lock_name("deploy"), AcquireOptions(), &cancelled);
    task.start();
    time.advance(milliseconds{100});
    ASSERT_TRUE(task.done()) << holder << at;
    EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
    EXPECT_EQ(store.subscriptions(), 0u);
  }
}

TEST_F(Waiting, CancelledAtTheInstantOfTheAnnouncementDoesOneOfBoth) {
  for (const bool newest_first : {false, true}) {
    time.newest_first = newest_first;
    Cancellation cancelled;
    other_takes();
    auto task = client.acquire(scripted::lock_name("deploy"), AcquireOptions(), &cancelled);
    task.start();
    other_releases();
    cancelled.request();
    time.settle();
    ASSERT_TRUE(task.done());
    EXPECT_TRUE(failed_with(task.take(), Errc::cancelled));
    EXPECT_EQ(holder(), std::nullopt);
    EXPECT_EQ(store.subscriptions(), 0u);
  }
}

}  // namespace
}  // namespace interlock
