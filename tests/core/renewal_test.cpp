// A lease is renewed in time, or its holder is told in time; and both end with stop().
#include "interlock/renewal.hpp"

#include <gmock/gmock.h>

#include "lease_keeper_world.hpp"

namespace interlock {
namespace {

using scripted::Fate;
using scripted::KeeperWorld;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto renew = OperationKind::renew;
constexpr auto release = OperationKind::release;

class LeaseKeeperTest : public testing::Test, protected KeeperWorld {
 protected:
  // After stop(), whatever is still parked is let go and time runs on: nothing may happen.
  void expect_silence() {
    const auto told = listener.told;
    const int sent = renewals();
    while (store.parked() > 0) store.release_parked();
    time.advance(std::chrono::seconds{10});
    EXPECT_EQ(listener.told, told);
    EXPECT_EQ(renewals(), sent);
    EXPECT_TRUE(done());
    EXPECT_EQ(time.sleepers(), 0u);
  }
};

TEST_F(LeaseKeeperTest, RenewsAfterAThirdOfTheCertainLifetime) {
  start();
  time.advance(milliseconds{300} - Duration{1});
  EXPECT_EQ(renewals(), 0);
  time.advance(Duration{1});
  EXPECT_EQ(renewals(), 1);
  EXPECT_THAT(listener.told, ElementsAre("renewed"));
  EXPECT_EQ(keeper->lease().certain_until(), began + milliseconds{1200});
}

TEST_F(LeaseKeeperTest, KeepsALeaseForAsLongAsTheStoreAnswers) {
  start();
  time.advance(std::chrono::seconds{30});
  EXPECT_EQ(renewals(), 100);
  EXPECT_EQ(listener.count("renewed"), 100);
  EXPECT_EQ(listener.told.size(), 100u);
  EXPECT_EQ(holder(), "il1:me");
  EXPECT_FALSE(keeper->lost());
}

TEST_F(LeaseKeeperTest, TellsHowLongARenewalTook) {
  start();
  store.next(renew, Fate::reply_held);
  time.advance(milliseconds{450});
  store.release_parked();
  EXPECT_EQ(listener.last_took, milliseconds{150});
}

TEST_F(LeaseKeeperTest, MayRenewALittleSoonerTogetherWithOthers) {
  time.uses_slack = true;
  start();
  constexpr Duration slack = Duration(milliseconds{300}) / 256;
  time.advance(milliseconds{300} - slack - Duration{1});
  EXPECT_EQ(renewals(), 0);
  time.advance(Duration{1});
  EXPECT_EQ(renewals(), 1);
}

TEST_F(LeaseKeeperTest, CountsARenewedLeaseFromWhenItWasSent) {
  start();
  store.next(renew, Fate::reply_held);
  time.advance(milliseconds{450});
  store.release_parked();
  EXPECT_EQ(keeper->lease().sent(), began + milliseconds{300});
}

TEST_F(LeaseKeeperTest, TriesAgainAfterATwentiethOfTheLifetime) {
  start();
  store.next(renew, Fate::unavailable)
      .next(renew, Fate::request_lost)
      .next(renew, Fate::reply_lost);
  time.advance(milliseconds{300});
  EXPECT_EQ(renewals(), 1);
  time.advance(milliseconds{45});
  EXPECT_EQ(renewals(), 2);
  time.advance(milliseconds{45});
  EXPECT_EQ(renewals(), 3);
  time.advance(milliseconds{45});
  EXPECT_THAT(listener.told, ElementsAre("error", "error", "error", "renewed"));
}

TEST_F(LeaseKeeperTest, TriesUntilTheEndAndNotLonger) {
  start();
  store.weather = Fate::unavailable;
  time.advance(std::chrono::seconds{10});
  EXPECT_EQ(renewals(), 14);  // at 300, 345, ... 885 ms
  EXPECT_EQ(listener.count("at risk"), 1);
  EXPECT_EQ(listener.told.back(), "lost");
  EXPECT_EQ(listener.reason, LossReason::not_renewed_in_time);
  EXPECT_TRUE(done());
}

TEST_F(LeaseKeeperTest, ARefusalIsTriedAgainToo) {
  start();
  store.next(renew, Fate::rejected);
  time.advance(milliseconds{345});
  EXPECT_THAT(listener.told, ElementsAre("error", "renewed"));
}

TEST_F(LeaseKeeperTest, TellsRiskAndLossByTheClockAloneWhenTheStoreFallsSilent) {
  start();
  store.next(renew, Fate::held_back);
  time.advance(milliseconds{600} - Duration{1});
  EXPECT_THAT(listener.told, IsEmpty());
  time.advance(Duration{1});
  EXPECT_THAT(listener.told, ElementsAre("at risk"));
  time.advance(milliseconds{300} - Duration{1});
  EXPECT_THAT(listener.told, ElementsAre("at risk"));
  time.advance(Duration{1});
  EXPECT_THAT(listener.told, ElementsAre("at risk", "lost"));
  EXPECT_TRUE(keeper->lost());
  EXPECT_EQ(holder(), "il1:me");  // the store does not know yet: told before it could grant
  EXPECT_EQ(store.parked(), 1u);
}

TEST_F(LeaseKeeperTest, TellsRiskAgainOnlyForALeaseThatWasRenewedMeanwhile) {
  start();
  store.next(renew, Fate::reply_held).next(renew, Fate::held_back);
  time.advance(milliseconds{700});
  store.release_parked();  // renewed as of 300 ms: held until 900, at risk again from there
  EXPECT_THAT(listener.told, ElementsAre("at risk", "renewed"));
  time.advance(milliseconds{199});
  EXPECT_EQ(listener.count("at risk"), 1);
  time.advance(milliseconds{1});
  EXPECT_EQ(listener.count("at risk"), 2);
  time.advance(milliseconds{300});
  EXPECT_EQ(listener.told.back(), "lost");
}

TEST_F(LeaseKeeperTest, TellsAtOnceWhenTheKeyIsGone) {
  start();
  store.lose_key("deploy");
  time.advance(milliseconds{300});
  EXPECT_THAT(listener.told, ElementsAre("lost"));
  EXPECT_EQ(listener.reason, LossReason::gone);
  time.settle();
  EXPECT_TRUE(done());
  EXPECT_EQ(holder(), std::nullopt);
}

TEST_F(LeaseKeeperTest, TellsAtOnceWhenAnotherHoldsItAndLeavesItsKeyAlone) {
  start();
  store.lose_key("deploy");
  other_takes();
  time.advance(milliseconds{300});
  EXPECT_EQ(listener.reason, LossReason::held_by_another);
  time.settle();
  EXPECT_TRUE(done());
  EXPECT_EQ(holder(), "il1:other");
  EXPECT_EQ(store.count(release), 0);
}

TEST_F(LeaseKeeperTest, ARenewalThatSucceedsAfterTheLossGivesTheKeyBack) {
  start();
  store.next(renew, Fate::held_back);
  time.advance(milliseconds{950});
  EXPECT_EQ(listener.told.back(), "lost");
  store.release_parked();
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_TRUE(done());
  EXPECT_EQ(listener.count("renewed"), 0);
}

TEST_F(LeaseKeeperTest, ARenewalThatFailsAfterTheLossGivesTheKeyBackToo) {
  start();
  store.next(renew, Fate::held_back);
  time.advance(milliseconds{950});
  store.fail_parked(Errc::indeterminate);
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_EQ(listener.count("error"), 0);
}

TEST_F(LeaseKeeperTest, AStalledProcessThatFindsItsLeaseEndedTellsLossAndKeepsNoKey) {
  store.next(renew, Fate::reply_held);
  start();
  time.advance(milliseconds{300});
  time.newest_first = true;
  // The answer comes before the watch has had its turn, and after the renewed lease has ended too.
  time.at(began + milliseconds{301}, [&] { store.release_parked(); });
  time.stall(milliseconds{950});
  time.settle();
  EXPECT_EQ(listener.count("renewed"), 0);
  EXPECT_EQ(listener.count("lost"), 1);
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_TRUE(done());
}

TEST_F(LeaseKeeperTest, AnAnswerAfterTheEndDoesNotReviveTheLeaseThatSomebodyMayHaveSeenLost) {
  store.next(renew, Fate::reply_held);
  start();
  time.advance(milliseconds{300});
  time.newest_first = true;
  // Before the watch has had its turn; the renewed lease would last until 1200.
  time.at(began + milliseconds{301}, [&] { store.release_parked(); });
  time.stall(milliseconds{650});
  time.settle();
  EXPECT_THAT(listener.told, ElementsAre("lost"));
  EXPECT_EQ(listener.reason, LossReason::not_renewed_in_time);
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_TRUE(done());
}

TEST_F(LeaseKeeperTest, StoppedAfterTheLossItStillGivesBackARenewalThatWasOut) {
  for (const Fate fate : {Fate::held_back, Fate::reply_held}) {
    KeeperWorld world;
    world.store.next(renew, fate);
    world.start();
    world.time.advance(milliseconds{950});
    EXPECT_EQ(world.listener.told.back(), "lost");
    world.keeper->stop();
    world.store.release_parked();
    EXPECT_EQ(world.holder(), std::nullopt);
    EXPECT_TRUE(world.done());
  }
}

TEST_F(LeaseKeeperTest, ALeaseThatHasEndedBeforeTheStartIsToldAsLostAtOnce) {
  time.advance(milliseconds{900});
  start();
  time.settle();
  EXPECT_THAT(listener.told, ElementsAre("lost"));
  EXPECT_EQ(renewals(), 0);
}

// --- stop() in every interleaving -------------------------------------------------------------

TEST_F(LeaseKeeperTest, StoppedBeforeTheStartDoesNothing) {
  keeper->stop();
  start();
  expect_silence();
  EXPECT_EQ(renewals(), 0);
}

TEST_F(LeaseKeeperTest, StoppedBetweenTheStartsOfItsTasksDoesNothing) {
  renewing.emplace(keeper->renew());
  renewing->start();
  keeper->stop();
  watching.emplace(keeper->watch());
  watching->start();
  expect_silence();
  EXPECT_EQ(renewals(), 0);
}

TEST_F(LeaseKeeperTest, StoppedWhileSleepingEndsAtOnce) {
  start();
  time.advance(milliseconds{100});
  keeper->stop();
  time.settle();
  EXPECT_TRUE(done());
  expect_silence();
  EXPECT_EQ(renewals(), 0);
}

TEST_F(LeaseKeeperTest, StoppedWhileARenewalIsUnderWayTellsNothingOfIt) {
  for (const Fate fate : {Fate::held_back, Fate::reply_held}) {
    KeeperWorld world;
    world.store.next(renew, fate);
    world.start();
    world.time.advance(milliseconds{300});
    world.keeper->stop();
    world.time.settle();
    EXPECT_FALSE(world.done());
    world.store.release_parked();
    EXPECT_TRUE(world.done());
    world.time.advance(std::chrono::seconds{10});
    EXPECT_EQ(world.renewals(), 1);
    EXPECT_THAT(world.listener.told, IsEmpty());
  }
}

TEST_F(LeaseKeeperTest, StoppedWhileARenewalIsUnderWayTellsNothingOfItsFailure) {
  store.next(renew, Fate::held_back);
  start();
  time.advance(milliseconds{300});
  keeper->stop();
  store.fail_parked(Errc::unavailable);
  expect_silence();
  EXPECT_THAT(listener.told, IsEmpty());
}

TEST_F(LeaseKeeperTest, StoppedAtTheVeryInstantOfARenewalRiskOrLoss) {
  for (const milliseconds instant : {milliseconds{300}, milliseconds{600}, milliseconds{900}}) {
    for (const bool newest_first : {false, true}) {
      KeeperWorld world;
      world.store.weather = Fate::held_back;
      world.time.newest_first = newest_first;
      std::size_t told = 0;
      int sent = 0;
      const auto stop = [&] {
        world.keeper->stop();
        told = world.listener.told.size();
        sent = world.renewals();
      };
      // Parked first and last, so that with both orders stop() comes before and after the naps.
      world.time.at(world.began + instant, stop);
      world.start();
      world.time.advance(std::chrono::seconds{10});
      EXPECT_EQ(world.listener.told.size(), told) << instant.count() << newest_first;
      EXPECT_EQ(world.renewals(), sent) << instant.count() << newest_first;
      while (world.store.parked() > 0) world.store.release_parked();
      EXPECT_TRUE(world.done()) << instant.count() << newest_first;
    }
  }
}

TEST_F(LeaseKeeperTest, StoppedFromInsideWhatItTellsSaysNothingMore) {
  for (const char* word : {"renewed", "error", "at risk", "lost"}) {
    KeeperWorld world;
    if (std::string_view(word) == "error") world.store.weather = Fate::unavailable;
    if (std::string_view(word) == "at risk") world.store.weather = Fate::held_back;
    if (std::string_view(word) == "lost") world.store.lose_key("deploy");
    world.listener.when_told = [&](std::string_view) { world.keeper->stop(); };
    world.start();
    world.time.advance(milliseconds{650});
    EXPECT_THAT(world.listener.told, ElementsAre(word));
    world.store.weather = Fate::served;
    while (world.store.parked() > 0) world.store.release_parked();
    world.time.advance(std::chrono::seconds{10});
    EXPECT_THAT(world.listener.told, ElementsAre(word));
    EXPECT_EQ(world.renewals(), 1);
    EXPECT_TRUE(world.done());
  }
}

TEST_F(LeaseKeeperTest, StoppedTwiceAndAfterTheLossIsHarmless) {
  start();
  store.lose_key("deploy");
  time.advance(milliseconds{300});
  keeper->stop();
  keeper->stop();
  expect_silence();
  EXPECT_THAT(listener.told, ElementsAre("lost"));
}

TEST_F(LeaseKeeperTest, AReleaseBesideARenewalUnderWayIsNotUndone) {
  store.next(renew, Fate::held_back);
  start();
  time.advance(milliseconds{300});
  keeper->stop();
  const Lease lease = keeper->lease();
  EXPECT_EQ(run(lock.release(lease)).value(), ReleaseOutcome::released);
  store.release_parked();  // the renewal reaches the store after the release
  EXPECT_EQ(holder(), std::nullopt);
  expect_silence();
}

}  // namespace
}  // namespace interlock
