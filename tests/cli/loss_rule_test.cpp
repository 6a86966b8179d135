#include "supervision/loss_rule.hpp"

#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

using std::chrono::seconds;

TimePoint at(int s) {
  return TimePoint(seconds{s});
}

// A lease that is certain until 32, with a grace of 5, which ends at 30.
constexpr int certain = 32;
constexpr int killed = 30;
LossRule rule(OnLost on_lost = OnLost::send(SIGTERM)) {
  return {on_lost, seconds{5}, seconds{certain - killed}};
}

TEST(LossRule, LeavesAHeldLockAlone) {
  LossRule term = rule();
  const auto step = term.look(at(10), at(certain), false);
  EXPECT_FALSE(step.signal);
  EXPECT_EQ(step.next, at(25));
  EXPECT_FALSE(term.lost());
}

TEST(LossRule, FollowsEveryRenewal) {
  LossRule term = rule();
  EXPECT_EQ(term.look(at(24), at(certain), false).next, at(25));
  EXPECT_EQ(term.look(at(25), at(50), false).next, at(43));
  EXPECT_FALSE(term.lost());
}

TEST(LossRule, SendsTermBeforeTheLeaseCanEndAndKillAMomentBefore) {
  LossRule term = rule();
  auto step = term.look(at(25), at(certain), false);
  EXPECT_EQ(step.signal, SIGTERM);
  EXPECT_EQ(step.next, at(killed));
  EXPECT_EQ(term.lost_since(), at(25));
  step = term.look(at(26), at(certain), false);
  EXPECT_FALSE(step.signal);
  EXPECT_EQ(step.next, at(killed));
  step = term.look(at(killed), at(certain), false);
  EXPECT_EQ(step.signal, SIGKILL);
  EXPECT_FALSE(step.next);
  EXPECT_FALSE(term.look(at(31), at(certain), false).signal);
}

TEST(LossRule, DoesNotTakeTheSignalBackForALateRenewal) {
  LossRule term = rule();
  EXPECT_EQ(term.look(at(25), at(certain), false).signal, SIGTERM);
  EXPECT_EQ(term.look(at(26), at(56), false).next, at(killed));
  EXPECT_EQ(term.look(at(killed), at(56), false).signal, SIGKILL);
  EXPECT_TRUE(term.lost());
}

TEST(LossRule, GivesTheGraceFromNowWhenTheStoreSaysLost) {
  LossRule term = rule();
  auto step = term.look(at(10), at(certain), true);
  EXPECT_EQ(step.signal, SIGTERM);
  EXPECT_EQ(step.next, at(15));
  EXPECT_FALSE(term.look(at(14), at(certain), true).signal);
  EXPECT_EQ(term.look(at(15), at(certain), true).signal, SIGKILL);
}

TEST(LossRule, GivesTheGraceThoughTheLeaseEndsWithTheStoresWord) {
  LossRule term = rule();
  EXPECT_FALSE(term.look(at(9), at(certain), false).signal);
  const auto step = term.look(at(10), at(10), true);
  EXPECT_EQ(step.signal, SIGTERM);
  EXPECT_EQ(step.next, at(15));
}

TEST(LossRule, KillsAtOnceWhenTheLeaseIsOverAlready) {
  for (const bool store_says_lost : {false, true}) {
    LossRule term = rule();
    EXPECT_FALSE(term.look(at(10), at(certain), false).signal);
    const auto step = term.look(at(40), at(certain), store_says_lost);
    EXPECT_EQ(step.signal, SIGKILL);
    EXPECT_FALSE(step.next);
  }
}

TEST(LossRule, GivesTheRenewalATimeAfterAStandstillWithinTheGrace) {
  LossRule term = rule();
  EXPECT_EQ(term.look(at(10), at(certain), false).next, at(25));
  // Nobody looked at 25: neither we nor the renewal ran.
  const auto step = term.look(at(26), at(certain), false);
  EXPECT_FALSE(step.signal);
  EXPECT_EQ(step.next, at(28));
  EXPECT_EQ(term.look(at(27), at(57), false).next, at(50));
  EXPECT_FALSE(term.lost());
}

TEST(LossRule, SendsTheSignalIfThereIsNoRenewalAfterAStandstill) {
  LossRule term = rule();
  EXPECT_EQ(term.look(at(26), at(certain), false).next, at(28));
  EXPECT_FALSE(term.look(at(27), at(certain), false).signal);
  EXPECT_EQ(term.look(at(28), at(certain), false).signal, SIGTERM);
  EXPECT_EQ(term.lost_since(), at(28));
  EXPECT_EQ(term.look(at(killed), at(certain), false).signal, SIGKILL);
}

TEST(LossRule, SaysUntilWhenTheCommandMayRunWithoutUs) {
  LossRule term = rule();
  EXPECT_FALSE(term.deadline());
  term.look(at(10), at(certain), false);
  EXPECT_EQ(term.deadline(), at(killed));
  // The store's word, and with it a grace from now on.
  term.look(at(28), at(certain), true);
  EXPECT_EQ(term.deadline(), at(33));
  LossRule ignore = rule(OnLost::ignore());
  ignore.look(at(10), at(certain), false);
  EXPECT_FALSE(ignore.deadline());
}

TEST(LossRule, WithKillLeavesAllTheTimeToTheRenewal) {
  LossRule kill = rule(OnLost::send(SIGKILL));
  EXPECT_EQ(kill.look(at(25), at(certain), false).next, at(killed));
  EXPECT_EQ(kill.look(at(killed), at(certain), false).signal, SIGKILL);
  EXPECT_FALSE(kill.look(at(31), at(certain), false).signal);

  LossRule told = rule(OnLost::send(SIGKILL));
  EXPECT_EQ(told.look(at(10), at(certain), true).signal, SIGKILL);
  EXPECT_FALSE(told.look(at(20), at(certain), true).signal);
}

TEST(LossRule, WithIgnoreOnlyRemembers) {
  LossRule ignore = rule(OnLost::ignore());
  EXPECT_EQ(ignore.look(at(25), at(certain), false).next, at(certain));
  EXPECT_FALSE(ignore.lost());
  const auto step = ignore.look(at(certain), at(certain), false);
  EXPECT_FALSE(step.signal);
  EXPECT_FALSE(step.next);
  EXPECT_TRUE(ignore.lost());
  EXPECT_FALSE(ignore.look(at(99), at(certain), true).signal);
}

TEST(LossRule, JudgesACommandThatEndedBeforeAnybodyLooked) {
  LossRule in_grace = rule();
  in_grace.conclude(at(29), at(certain), false);
  EXPECT_FALSE(in_grace.lost());
  LossRule too_late = rule();
  too_late.conclude(at(certain), at(certain), false);
  EXPECT_EQ(too_late.lost_since(), at(certain));
  LossRule told = rule();
  told.conclude(at(10), at(certain), true);
  EXPECT_EQ(told.lost_since(), at(10));
}

TEST(LossRule, BelievesWhoKilledInOurPlaceWhenThatWas) {
  LossRule stopped = rule();
  stopped.look(at(10), at(certain), false);
  stopped.look(at(40), at(certain), true);
  EXPECT_EQ(stopped.lost_since(), at(40));
  stopped.expire(at(certain));
  EXPECT_EQ(stopped.lost_since(), at(certain));

  LossRule warned = rule();
  warned.look(at(25), at(certain), false);
  warned.expire(at(certain));
  EXPECT_EQ(warned.lost_since(), at(25));
}

TEST(LossRule, WithoutAGraceKillsAMomentBeforeTheLeaseCanEnd) {
  LossRule term(OnLost::send(SIGTERM), Duration::zero(), seconds{certain - killed});
  EXPECT_EQ(term.look(at(25), at(certain), false).next, at(killed));
  EXPECT_EQ(term.look(at(killed), at(certain), false).signal, SIGKILL);
}

TEST(LossRule, TellsALossByTheClockFromOneThatTheStoreTells) {
  LossRule stopped = rule();
  stopped.look(at(10), at(certain), false);
  stopped.expire(at(killed));
  EXPECT_TRUE(stopped.lost_by_clock());
  LossRule told = rule();
  told.look(at(10), at(certain), false);
  EXPECT_FALSE(told.lost_by_clock());
  told.look(at(killed - 1), at(certain), true);
  EXPECT_FALSE(told.lost_by_clock());
}

TEST(LossRule, SendsWhateverSignalWasAskedFor) {
  LossRule interrupt = rule(OnLost::send(SIGINT));
  EXPECT_EQ(interrupt.look(at(25), at(certain), false).signal, SIGINT);
  EXPECT_EQ(interrupt.look(at(killed), at(certain), false).signal, SIGKILL);
}

}  // namespace
}  // namespace interlock::cli
