// What LocalQueues do with a grant that its caller keeps between sections: docs/adr/0009.
#include "interlock/kept_grant.hpp"

#include "local_queue_world.hpp"

namespace interlock {
namespace {

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
  EXPECT_EQ(client.stop_handing_over(lease), kept);
  EXPECT_TRUE(kept->was_taken());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::no);
  EXPECT_EQ(client.stop_handing_over(lease), nullptr);
}

TEST_F(LocalQueueWithAKeeper, ASectionThatGoesOnWhenTheTimeIsOverIsNotKept) {
  const Lease lease = first_section();
  EXPECT_TRUE(kept->keep());
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
  EXPECT_EQ(client.stop_handing_over(lease), nullptr);
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
  EXPECT_EQ(client.stop_handing_over(lost), nullptr);
  EXPECT_EQ(kept->begin_section(time.now()), Begins::in_time);
}

}  // namespace
}  // namespace interlock
