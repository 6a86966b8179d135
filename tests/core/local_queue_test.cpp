// What LocalQueues and LocalQueueClient do in what the search cannot see: a thread that is woken
// late.
#include "interlock/local_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace interlock {
namespace {

using std::chrono::seconds;
using Turn = LocalWaiter::Turn;

const LockName name = *LockName::parse("deploy");
const Ttl ttl(seconds{10});

// Time stands still until somebody moves it; sleeps end when the test says so.
class ManualTime final : public TimeSource {
 public:
  TimePoint now() override { return now_; }
  bool park(PendingSleep& sleep) override {
    asleep_.push_back(&sleep);
    return true;
  }
  void wake(PendingSleep&) override {}

  void pass(Duration time) { now_ += time; }
  void wake_all() {
    const std::vector<PendingSleep*> asleep = std::exchange(asleep_, {});
    for (PendingSleep* sleep : asleep) sleep->resume();
  }

 private:
  TimePoint now_{seconds{100}};
  std::vector<PendingSleep*> asleep_;
};

// A caller whose store grants every claim at once.
class Asker final : public LocalWaiter {
 public:
  Asker(ManualTime& time,
        const std::string& token,
        Ttl lasts = ttl,
        std::shared_ptr<KeptGrant> keeps = nullptr)
      : LocalWaiter(lasts, nullptr, std::move(keeps)), time_(time), owner_(token), lasts_(lasts) {}
  void notify() override { ++called; }
  Task<Result<AcquireOutcome>> acquire_at_store(LockName of, AcquireOptions) override {
    ++asked;
    if (asks) asks(*this);
    if (fails) co_return Error(Errc::unavailable, "the store is gone");
    const TimePoint now = time_.now();
    if (offered) {
      co_return AcquireOutcome(Lease(of, owner_, FencingToken(100), lasts_, now, now + *offered,
                                     SafetyMargin(), tokens, others_queue));
    }
    co_return AcquireOutcome(
        Lease(of, owner_, FencingToken(100), lasts_, now, SafetyMargin(), tokens, others_queue));
  }
  Task<Result<ReleaseOutcome>> release_at_store(Lease lease) override {
    given_back.push_back(lease.owner().text());
    co_return ReleaseOutcome::released;
  }
  std::int64_t tokens = 3;
  bool others_queue = false;
  bool fails = false;
  std::optional<Duration> offered;   // the lease begins with an offer, and is that long
  std::function<void(Asker&)> asks;  // what happens meanwhile
  int called = 0;
  int asked = 0;
  std::vector<std::string> given_back;

 private:
  ManualTime& time_;
  OwnerToken owner_;
  Ttl lasts_;
};

class LocalQueue : public ::testing::Test {
 protected:
  static constexpr Duration within = milliseconds{2100};
  Task<Result<AcquireOutcome>> acquire(const std::shared_ptr<Asker>& waiter) {
    return client.acquire(waiter, name, AcquireOptions(ttl));
  }
  std::vector<Task<Result<AcquireOutcome>>> three_who_wait() {
    std::vector<Task<Result<AcquireOutcome>>> waits;
    for (const auto& waiter : {second, third, fourth}) {
      waits.push_back(acquire(waiter));
      waits.back().start();
    }
    return waits;
  }
  static HandOverPolicy policy() {
    HandOverPolicy policy;
    policy.sections = 3;
    policy.within = within;
    return policy;
  }
  ManualTime time;
  LocalQueues lines{policy()};
  LocalQueueClient client{lines, time};
  std::shared_ptr<Asker> first = std::make_shared<Asker>(time, "first");
  std::shared_ptr<Asker> second = std::make_shared<Asker>(time, "second");
  std::shared_ptr<Asker> third = std::make_shared<Asker>(time, "third");
  std::shared_ptr<Asker> fourth = std::make_shared<Asker>(time, "fourth");
};

TEST_F(LocalQueue, WhatIsHandedOverHasTheNextTokenAndTheSameEnd) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_EQ(lines.turn_of(*second), Turn::waits);
  time.pass(seconds{2});
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(second->called, 1);
  time.wake_all();
  ASSERT_TRUE(waits.done());
  const Lease handed = std::get<Lease>(*waits.take());
  EXPECT_EQ(handed.fencing(), FencingToken(101));
  EXPECT_EQ(handed.owner(), lease.owner());
  EXPECT_EQ(handed.certain_until(), lease.certain_until());
  EXPECT_TRUE(first->given_back.empty());
  EXPECT_EQ(second->asked, 0);
}

// The last instant minus such a one is more than a duration can be: the sanitizer tells.
TEST_F(LocalQueue, AWaitWithoutALimitGoesOnWhileTheClockIsBelowZero) {
  time.pass(-seconds{200});
  ASSERT_LT(time.now(), TimePoint());
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_FALSE(waits.done());
  EXPECT_EQ(second->asked, 0);
  EXPECT_EQ(lines.turn_of(*second), Turn::waits);
  EXPECT_EQ(client.hand_over_no_more(lease), nullptr);
  time.wake_all();
  EXPECT_TRUE(waits.done());
}

TEST_F(LocalQueue, WhoIsWokenTooLateGivesBackAndAsksTheStore) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  time.pass(seconds{11});
  time.wake_all();
  ASSERT_TRUE(waits.done());
  const Lease own = std::get<Lease>(*waits.take());
  EXPECT_EQ(own.owner(), OwnerToken("second"));
  EXPECT_EQ(own.sent(), time.now());
  EXPECT_EQ(second->given_back, std::vector<std::string>{"first"});
  EXPECT_FALSE(second->was_handed_over());
  EXPECT_EQ(lines.turn_of(*second), Turn::holds);
}

// Its line has gone on without it by then.
TEST_F(LocalQueue, WhoIsWokenTooLateForTheLastSectionIsFirstInLineAgain) {
  first->tokens = 2;
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  auto waits = three_who_wait();
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(lines.turn_of(*third), Turn::leads);
  time.pass(seconds{11});
  time.wake_all();
  ASSERT_TRUE(waits[1].done());
  EXPECT_EQ(second->given_back, std::vector<std::string>{"first"});
  EXPECT_EQ(lines.turn_of(*second), Turn::waits);
  EXPECT_EQ(*run(client.release(third, std::get<Lease>(*waits[1].take()))),
            ReleaseOutcome::released);
  EXPECT_EQ(lines.turn_of(*second), Turn::holds);
  EXPECT_EQ(lines.turn_of(*fourth), Turn::waits);
  time.wake_all();
  ASSERT_TRUE(waits[0].done());
  EXPECT_TRUE(second->was_handed_over());
}

TEST_F(LocalQueue, TheNextInLineAsksTheStoreWhileTheLastSectionGoesOn) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  auto waits = three_who_wait();
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  time.wake_all();
  ASSERT_TRUE(waits[0].done());
  EXPECT_EQ(fourth->called, 0);
  EXPECT_EQ(*run(client.release(second, std::get<Lease>(*waits[0].take()))),
            ReleaseOutcome::released);
  EXPECT_EQ(third->called, 1);
  EXPECT_EQ(fourth->called, 1);
  EXPECT_EQ(lines.turn_of(*third), Turn::holds);
  EXPECT_EQ(lines.turn_of(*fourth), Turn::leads);
  EXPECT_TRUE(fourth->finds_it_held());
}

TEST_F(LocalQueue, WhileOthersQueueOnlyThoseAreHandedItWhoStoodInLineBefore) {
  for (const bool others_queue : {false, true}) {
    first = std::make_shared<Asker>(time, "first");
    first->others_queue = others_queue;
    const auto waiter = std::make_shared<Asker>(time, "waiter");
    const Lease lease = std::get<Lease>(*run(acquire(first)));
    Task<Result<AcquireOutcome>> came_later = acquire(waiter);
    came_later.start();
    EXPECT_EQ(waiter->asked, others_queue ? 1 : 0);
    EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
    EXPECT_EQ(first->given_back.size(), others_queue ? 1U : 0U);
    time.wake_all();
    ASSERT_TRUE(came_later.done());
    static_cast<void>(run(client.release(waiter, std::get<Lease>(*came_later.take()))));
  }
}

TEST_F(LocalQueue, NobodyIsServedTwiceByAGrantThatOthersQueueBehind) {
  first->others_queue = true;
  first->asks = [&](Asker& asker) {
    // Two come while the first asks.
    if (asker.asked > 1) return;
    lines.join(name, second, TimePoint());
    lines.join(name, third, TimePoint());
  };
  first->tokens = 48;
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  EXPECT_EQ(lines.sections_left(name), 2);
  lines.join(name, fourth, TimePoint());
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(lines.turn_of(*second), Turn::holds);
  EXPECT_EQ(*run(client.release(second, lease.next())), ReleaseOutcome::released);
  EXPECT_EQ(lines.turn_of(*third), Turn::holds);
  EXPECT_EQ(lines.turn_of(*fourth), Turn::leads);
  EXPECT_EQ(lines.sections_left(name), 0);
}

TEST_F(LocalQueue, ACallerThatWantsAnotherTtlAsksTheStoreAtOnce) {
  static_cast<void>(run(acquire(first)));
  const auto other = std::make_shared<Asker>(time, "other", Ttl(seconds{20}));
  const Lease own =
      std::get<Lease>(*run(client.acquire(other, name, AcquireOptions(Ttl(seconds{20})))));
  EXPECT_EQ(own.owner(), OwnerToken("other"));
  EXPECT_TRUE(other->finds_it_held());
}

TEST_F(LocalQueue, AFailingStoreFailsTheOneWhoLeadsAndThenTheNext) {
  first->tokens = 1;
  second->fails = third->fails = true;
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  second->asks = [&](Asker&) { lines.join(name, third, TimePoint()); };
  EXPECT_EQ(run(acquire(second)).error().code(), Errc::unavailable);
  EXPECT_EQ(third->called, 1);
  EXPECT_EQ(lines.turn_of(*third), Turn::leads);
  EXPECT_FALSE(third->finds_it_held());
  // Nothing is left of the line when the last of them has failed.
  static_cast<void>(lines.got_nothing(name));
  EXPECT_TRUE(run(acquire(fourth)));
  EXPECT_EQ(fourth->asked, 1);
}

TEST_F(LocalQueue, AnOfferIsHandedOverUntilItsRenewalUnlessAnotherCallerWaits) {
  first->offered = second->offered = seconds{9};
  first->tokens = 1;
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  EXPECT_EQ(first->hand_over_until(), time.now() + milliseconds{10});
  EXPECT_EQ(first->hand_over_until(), lease.renewal_due());
  static_cast<void>(run(client.release(first, lease)));
  second->asks = [&](Asker&) { lines.join(name, third, TimePoint()); };
  static_cast<void>(run(acquire(second)));
  EXPECT_EQ(second->hand_over_until(), time.now() + within);
}

TEST_F(LocalQueue, ALineGoesOnWithoutALongSection) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  EXPECT_EQ(first->hand_over_until(), time.now() + within);
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  time.pass(within);
  EXPECT_EQ(client.hand_over_no_more(lease), nullptr);
  EXPECT_EQ(second->called, 1);
  EXPECT_TRUE(second->finds_it_held());
  time.wake_all();
  ASSERT_TRUE(waits.done());
  // What the first one had is no matter of the line any more, now or later.
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(client.hand_over_no_more(lease), nullptr);
  EXPECT_EQ(first->given_back, std::vector<std::string>{"first"});
  EXPECT_EQ(lines.turn_of(*second), Turn::holds);
  EXPECT_EQ(lines.sections_left(name), 2);
}

TEST_F(LocalQueue, ANewLeaseIsNotHandedOverAfterItsShareHasPassed) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  time.pass(seconds{3});  // a quarter of ten seconds, less the safety margin, is less
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(first->given_back, std::vector<std::string>{"first"});
  time.wake_all();
  ASSERT_TRUE(waits.done());
  EXPECT_EQ(second->asked, 1);
}

TEST_F(LocalQueue, OtherProcessesWaitNoLongerThanThePolicySays) {
  for (const Duration passes : {within - Duration{1}, within}) {
    const Lease lease = std::get<Lease>(*run(acquire(first)));
    Task<Result<AcquireOutcome>> waits = acquire(second);
    waits.start();
    time.pass(passes);
    EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
    EXPECT_EQ(first->given_back.size(), passes == within ? 1U : 0U);
    time.wake_all();
    ASSERT_TRUE(waits.done());
    EXPECT_EQ(*run(client.release(second, std::get<Lease>(*waits.take()))),
              ReleaseOutcome::released);
    first = std::make_shared<Asker>(time, "first");
    second = std::make_shared<Asker>(time, "second");
  }
}

TEST_F(LocalQueue, ASpuriousWakeUpChangesNothing) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  time.wake_all();
  EXPECT_FALSE(waits.done());
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  time.wake_all();
  EXPECT_TRUE(waits.done());
}

// --- grants that are kept ------------------------------------------------------------------------

class Kept final : public KeptGrant {
 public:
  void on_taken(Fate how) override { (how == Fate::goes_on ? went_on : was_released) += 1; }
  int went_on = 0;
  int was_released = 0;
};

class LocalQueueWithAKeeper : public LocalQueue {
 protected:
  using Begins = KeptGrant::Begins;
  Lease first_section() { return std::get<Lease>(*run(acquire(keeper))); }
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();
  std::shared_ptr<Asker> keeper = std::make_shared<Asker>(time, "keeper", ttl, kept);
};

TEST_F(LocalQueueWithAKeeper, BeginsAsManySectionsAsTheGrantHasTokens) {
  first_section();
  EXPECT_EQ(kept->begin_section(time.now()), Begins::no);
  for (std::int64_t n = 1; n < 3; ++n) {
    EXPECT_TRUE(kept->keep());
    EXPECT_EQ(lines.sections_left(name), 3 - n);
    EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
    EXPECT_EQ(kept->section(), n);
  }
  EXPECT_FALSE(kept->keep());
  EXPECT_EQ(lines.sections_left(name), 0);
}

TEST_F(LocalQueueWithAKeeper, TheLastSectionIsReleasedWithItsOwnToken) {
  const Lease lease = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
  EXPECT_EQ(*run(client.release(keeper, lease.after(1))), ReleaseOutcome::released);
  EXPECT_EQ(keeper->given_back.size(), 1U);
  EXPECT_FALSE(kept->keep());
  // Nothing is left of the queue.
  EXPECT_TRUE(run(acquire(second)));
  EXPECT_EQ(second->asked, 1);
}

TEST_F(LocalQueueWithAKeeper, NoSectionBeginsWhenTheTimeOfTheGrantIsOver) {
  first_section();
  EXPECT_TRUE(kept->keep());
  time.pass(within);
  EXPECT_EQ(kept->begin_section(time.now()), Begins::too_late);
  EXPECT_EQ(kept->section(), 0);
}

TEST_F(LocalQueueWithAKeeper, IsGivenBackWhenTheTimeOfTheGrantIsOver) {
  const Lease lease = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(client.hand_over_no_more(lease), kept);
  EXPECT_TRUE(kept->was_taken());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::no);
  EXPECT_EQ(client.hand_over_no_more(lease), nullptr);
}

TEST_F(LocalQueueWithAKeeper, ASectionThatGoesOnWhenTheTimeIsOverIsNotKept) {
  const Lease lease = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
  EXPECT_EQ(client.hand_over_no_more(lease), nullptr);
  EXPECT_FALSE(kept->keep());
  EXPECT_FALSE(kept->was_taken());
}

TEST_F(LocalQueueWithAKeeper, AnotherCallerHasTheNextSectionAtOnce) {
  const Lease lease = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
  EXPECT_TRUE(kept->keep());
  const Lease taken = std::get<Lease>(*run(acquire(second)));
  EXPECT_EQ(taken.fencing(), FencingToken(102));
  EXPECT_EQ(taken.owner(), lease.owner());
  EXPECT_TRUE(second->was_handed_over());
  EXPECT_EQ(second->asked, 0);
  EXPECT_EQ(kept->went_on, 1);
  EXPECT_TRUE(kept->was_taken());
  EXPECT_EQ(lines.sections_left(name), 0);
}

TEST_F(LocalQueueWithAKeeper, ACallerBehindASectionIsHandedTheGrantAndNothingIsKept) {
  const Lease lease = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
  Task<Result<AcquireOutcome>> waits = acquire(second);
  waits.start();
  EXPECT_FALSE(waits.done());
  EXPECT_FALSE(kept->keep());
  EXPECT_EQ(*run(client.release(keeper, lease.after(1))), ReleaseOutcome::released);
  EXPECT_EQ(lines.turn_of(*second), Turn::holds);
  EXPECT_TRUE(keeper->given_back.empty());
  time.wake_all();
  EXPECT_EQ(std::get<Lease>(*waits.take()).fencing(), FencingToken(102));
}

TEST_F(LocalQueueWithAKeeper, WhatDoesNotDoForAnotherCallerIsReleasedBeforeThatOneAsks) {
  const std::shared_ptr<Asker> other = std::make_shared<Asker>(time, "other", Ttl(seconds{20}));
  for (const bool is_old : {false, true}) {
    first_section();
    EXPECT_TRUE(kept->keep());
    if (is_old) time.pass(within);
    const std::shared_ptr<Asker>& next = is_old ? second : other;
    next->asks = [](Asker& asker) { EXPECT_EQ(asker.given_back.size(), 1U); };
    const Ttl lasts = is_old ? ttl : Ttl(seconds{20});
    const Lease own = std::get<Lease>(*run(client.acquire(next, name, AcquireOptions(lasts))));
    EXPECT_EQ(next->given_back.at(0), "keeper");
    EXPECT_EQ(next->asked, 1);
    EXPECT_EQ(*run(client.release(next, own)), ReleaseOutcome::released);
  }
  EXPECT_EQ(kept->was_released, 2);
}

TEST_F(LocalQueueWithAKeeper, KeepsNoGrantThatOthersQueueBehindOrWaitFor) {
  keeper->others_queue = true;
  const Lease lease = first_section();
  EXPECT_FALSE(kept->keep());
  EXPECT_EQ(*run(client.release(keeper, lease)), ReleaseOutcome::released);
  keeper->others_queue = false;
  keeper->asks = [&](Asker&) { lines.join(name, second, TimePoint()); };
  first_section();
  EXPECT_FALSE(kept->keep());
}

TEST_F(LocalQueueWithAKeeper, ARecallTakesWhatIsKeptAndClosesWhatGoesOn) {
  using Recall = LocalQueues::Recall;
  const Lease lease = first_section();
  EXPECT_TRUE(lines.stop_keeping_all(Recall::now).empty());
  EXPECT_FALSE(kept->keep());
  EXPECT_EQ(*run(client.release(keeper, lease)), ReleaseOutcome::released);
  const Lease later = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(lines.stop_keeping_all(Recall::now).size(), 1U);
  EXPECT_EQ(*run(client.release(keeper, later)), ReleaseOutcome::released);
  EXPECT_EQ(keeper->given_back.size(), 2U);
}

// The answer to the claim may be on its way while the message comes.
TEST_F(LocalQueueWithAKeeper, ARecallReachesAGrantThatItsLeaderIsBeingGiven) {
  const auto recall = [&](Asker&) {
    EXPECT_TRUE(lines.stop_keeping_all(LocalQueues::Recall::now).empty());
  };
  keeper->asks = recall;
  const Lease lease = first_section();
  EXPECT_FALSE(kept->keep());
  EXPECT_EQ(*run(client.release(keeper, lease)), ReleaseOutcome::released);
  keeper->asks = nullptr;
  first_section();
  EXPECT_TRUE(kept->keep());
}

TEST_F(LocalQueueWithAKeeper, ARecallHoldsForTheWholeGrant) {
  const auto also_kept = std::make_shared<Kept>();
  const auto other = std::make_shared<Asker>(time, "other", ttl, also_kept);
  const Lease lease = first_section();
  EXPECT_TRUE(lines.stop_keeping_all(LocalQueues::Recall::now).empty());
  Task<Result<AcquireOutcome>> waits = acquire(other);
  waits.start();
  EXPECT_EQ(*run(client.release(keeper, lease)), ReleaseOutcome::released);
  EXPECT_EQ(lines.turn_of(*other), Turn::holds);
  EXPECT_TRUE(lines.was_recalled(*other));
  EXPECT_FALSE(also_kept->keep());
  time.wake_all();
}

TEST_F(LocalQueueWithAKeeper, NothingIsKeptAfterARecallForGood) {
  EXPECT_TRUE(lines.stop_keeping_all(LocalQueues::Recall::for_good).empty());
  first_section();
  EXPECT_FALSE(kept->keep());
}

TEST_F(LocalQueueWithAKeeper, TheHolderOfAnotherGrantEndsNothingThatIsKept) {
  const Lease lost(name, OwnerToken("lost"), FencingToken(1), ttl, time.now(), SafetyMargin(), 3);
  first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(*run(client.release(second, lost)), ReleaseOutcome::released);
  EXPECT_EQ(client.hand_over_no_more(lost), nullptr);
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
}

}  // namespace
}  // namespace interlock
