// The check of histories finds what it is for, and nothing else.
#include <gtest/gtest.h>

#include "suite/history.hpp"

namespace interlock::test {
namespace {

constexpr std::int64_t ms = 1000;

// Two workers with one lock; times in milliseconds, leases of a hundred from the claim.
class HistoryTest : public testing::Test {
 protected:
  HistoryTest() {
    for (const int worker : {1, 2}) history_.begin(worker, {"lock"});
  }
  Record record(RecordKind kind, int worker, std::int64_t at, std::uint64_t fencing = 0) {
    Record made;
    made.kind = kind;
    made.worker = static_cast<std::uint16_t>(worker);
    made.detail = not_lost;
    made.at = at * ms;
    made.fencing = fencing;
    return made;
  }
  void enter(int worker, std::int64_t sent, std::int64_t at, std::uint64_t fencing) {
    Record entered = record(RecordKind::entered, worker, at, fencing);
    entered.sent = sent * ms;
    entered.certain_until = (sent + 100) * ms;
    certain_until_[worker] = entered.certain_until;
    history_.take(entered);
  }
  void leave(int worker, std::int64_t at, std::optional<LossReason> loss = {}) {
    Record left = record(RecordKind::left, worker, at);
    left.certain_until = certain_until_[worker];
    if (loss) left.detail = static_cast<std::int32_t>(*loss);
    history_.take(left);
  }
  void stay(int worker, std::int64_t at, std::int64_t until) {
    Record released = record(RecordKind::released, worker, at);
    released.certain_until = until * ms;
    history_.take(released);
  }
  void fail(int worker, std::int64_t at, Errc code) {
    Record failed = record(RecordKind::failed, worker, at);
    failed.detail = static_cast<std::int32_t>(code);
    history_.take(failed);
  }
  static Window window(std::int64_t from, std::int64_t to) {
    return Window(TimePoint(milliseconds{from}), TimePoint(milliseconds{to}));
  }

  History history_{Ttl(milliseconds{100})};
  std::map<int, std::int64_t> certain_until_;
};

TEST_F(HistoryTest, NobodyMayEnterALockThatStays) {
  enter(1, 0, 1, 5);
  leave(1, 10);
  stay(1, 12, 60);
  enter(2, 55, 59, 6);
  EXPECT_NE(to_string(history_.check()).find("two valid leases at a time: 1"), std::string::npos);
}

TEST_F(HistoryTest, ALockThatHasStayedMayBeEntered) {
  enter(1, 0, 1, 5);
  leave(1, 10);
  stay(1, 12, 60);
  enter(2, 55, 60, 6);
  EXPECT_EQ(to_string(history_.check()), "");
}

TEST_F(HistoryTest, SectionsOneAfterAnotherAreFine) {
  enter(1, 0, 1, 5);
  leave(1, 10);
  enter(2, 2, 10, 6);
  leave(2, 20);
  enter(1, 21, 22, 7);
  leave(1, 30);
  EXPECT_EQ(to_string(history_.check()), "");
}

TEST_F(HistoryTest, TwoValidLeasesAtATimeAreFound) {
  enter(1, 0, 1, 5);
  enter(2, 2, 9, 6);
  leave(1, 10);
  leave(2, 20);
  const Findings findings = history_.check();
  EXPECT_EQ(findings.overlaps.size(), 1U);
  EXPECT_TRUE(findings.disorder.empty());
}

TEST_F(HistoryTest, AnOfferMayBeLostIfTheStoreWasAwayBeforeItsRenewal) {
  const auto lost_after = [&](std::int64_t began) {
    enter(1, began - 70, began, static_cast<std::uint64_t>(began));
    leave(1, began + 40, LossReason::not_renewed_in_time);
    return history_.check().lost_sections.size();
  };
  EXPECT_EQ(lost_after(1000), 1U) << "the store was not away";
  history_.allow_losses_of_offers(window(1010, 1020));
  EXPECT_EQ(lost_after(2000), 1U) << "it was away long before";
  history_.allow_losses_of_offers(window(2010, 2020));
  EXPECT_EQ(history_.check().lost_sections.size(), 0U);
  history_.allow_losses_of_offers(window(3300, 3400));
  EXPECT_EQ(lost_after(3000), 1U) << "its renewal was due long before";
}

TEST_F(HistoryTest, AnOfferMayBeLostIfTheMachineStalledBeforeItsRenewal) {
  const auto lost_after = [&](std::int64_t began) {
    enter(1, began - 70, began, static_cast<std::uint64_t>(began));
    leave(1, began + 40, LossReason::not_renewed_in_time);
    return history_.check().lost_sections.size();
  };
  history_.stalled(window(910, 920));
  EXPECT_EQ(lost_after(1000), 1U) << "it stalled before";
  history_.stalled(window(1010, 1020));
  EXPECT_EQ(history_.check().lost_sections.size(), 0U);
  EXPECT_FALSE(history_.store_was_away());
}

TEST_F(HistoryTest, ALeaseThatWasWholeOrIsRenewedIsNoOffer) {
  history_.allow_losses_of_offers(window(0, 1000));
  enter(1, 20, 25, 5);
  leave(1, 120, LossReason::not_renewed_in_time);
  EXPECT_EQ(history_.check().lost_sections.size(), 1U);
  enter(2, 130, 200, 6);
  Record renewed = record(RecordKind::beats, 2, 210);
  renewed.certain_until = 310 * ms;
  history_.take(renewed);
  certain_until_[2] = renewed.certain_until;
  leave(2, 311, LossReason::not_renewed_in_time);
  EXPECT_EQ(history_.check().lost_sections.size(), 2U);
}

TEST_F(HistoryTest, ALongSectionIsComparedWithAllThatOverlapIt) {
  enter(1, 0, 1, 5);
  enter(2, 2, 3, 6);
  leave(2, 4);
  enter(2, 5, 6, 7);
  leave(2, 8);
  leave(1, 50);
  EXPECT_EQ(history_.check().overlaps.size(), 2U);
}

TEST_F(HistoryTest, WhoWasStoppedBeyondItsLeaseDoesNotOverlap) {
  enter(1, 0, 1, 5);
  enter(2, 2, 101, 6);
  leave(1, 150, LossReason::not_renewed_in_time);
  leave(2, 160);
  history_.allow_losses(window(1, 2), 1);
  EXPECT_EQ(to_string(history_.check()), "");
}

TEST_F(HistoryTest, ALeaseCountsAfterItsProcessWasKilled) {
  enter(1, 0, 1, 5);
  history_.end(1);
  enter(2, 2, 99, 6);
  leave(2, 120);
  EXPECT_EQ(history_.check().overlaps.size(), 1U);
}

TEST_F(HistoryTest, WhatTheStoreForgotMayOverlapAndOnlyThat) {
  enter(1, 0, 1, 5);
  history_.forfeit(window(5, 6));
  enter(2, 7, 8, 6);
  EXPECT_EQ(to_string(history_.check()), "");
  leave(1, 20);
  enter(1, 21, 22, 7);
  EXPECT_EQ(history_.check().overlaps.size(), 1U);
}

TEST_F(HistoryTest, TokensThatDoNotGrowAreFound) {
  enter(1, 0, 1, 5);
  leave(1, 10);
  enter(2, 1, 11, 5);
  leave(2, 12);
  EXPECT_EQ(history_.check().disorder.size(), 1U);
}

TEST_F(HistoryTest, TokensGrowAlsoWhereTheStoreForgotWhatItGranted) {
  history_.forfeit(window(0, 100));
  enter(1, 0, 1, 5);
  enter(2, 2, 3, 4);
  leave(1, 10);
  leave(2, 12);
  EXPECT_EQ(history_.check().disorder.size(), 1U);
}

TEST_F(HistoryTest, OfClaimsThatCrossedEitherMayHaveTheGreaterToken) {
  history_.forfeit(window(0, 100));
  enter(1, 0, 3, 6);
  enter(2, 1, 4, 5);
  leave(1, 10);
  leave(2, 12);
  EXPECT_EQ(to_string(history_.check()), "");
}

// Two servers of a failover answer for a while: worker 1 has the token of its first claim, which
// was not answered.
TEST_F(HistoryTest, WhereTheStoreForgotAnAcquireCountsFromItsBeginning) {
  const auto enters_by_its_second_claim = [&](std::int64_t asked) {
    history_.take(record(RecordKind::waits, 1, asked));
    enter(2, asked + 1, asked + 3, 8);
    enter(1, asked + 5, asked + 7, 7);
    leave(1, asked + 8);
    leave(2, asked + 9);
  };
  history_.forfeit(window(0, 100));
  enters_by_its_second_claim(10);
  EXPECT_TRUE(history_.check().disorder.empty());
  enters_by_its_second_claim(1000);
  EXPECT_FALSE(history_.check().disorder.empty()) << "nothing was forgotten by then";
}

// FLUSHALL comes after worker 1's claim, so that worker 2 is granted the lock, too. Then another
// thread of worker 1 asks for the lock, and the first thread hands the lease over to it.
TEST_F(HistoryTest, WhereTheStoreForgotALeaseThatIsHandedOverCountsFromItsClaim) {
  const auto hands_over = [&](std::int64_t claimed) {
    enter(2, claimed + 9, claimed + 12, 8);
    history_.take(record(RecordKind::waits, 1, claimed + 20));
    enter(1, claimed, claimed + 45, 7);
    leave(1, claimed + 50);
    leave(2, claimed + 55);
  };
  history_.forfeit(window(5, 8));
  hands_over(1);
  EXPECT_EQ(to_string(history_.check()), "");
  hands_over(1000);
  EXPECT_FALSE(history_.check().disorder.empty()) << "nothing was forgotten by then";
}

// The old primary grants the lock to a writer although the new one has a group of readers, which
// another reader joins afterwards.
TEST_F(HistoryTest, WhereTheStoreForgotReadersCountFromTheBeginningOfTheirGroup) {
  for (const int worker : {1, 3}) history_.begin(worker, {"lock:shared"});
  const auto joins_a_group_older_than_a_writer = [&](std::int64_t begins) {
    enter(1, begins, begins + 1, 5);
    enter(2, begins + 2, begins + 3, 6);
    leave(2, begins + 4);
    enter(3, begins + 20, begins + 21, 5);
    leave(1, begins + 22);
    leave(3, begins + 23);
  };
  history_.forfeit(window(0, 10));
  joins_a_group_older_than_a_writer(1);
  EXPECT_TRUE(history_.check().disorder.empty());
  joins_a_group_older_than_a_writer(1000);
  EXPECT_FALSE(history_.check().disorder.empty()) << "nothing was forgotten by then";
}

TEST_F(HistoryTest, ReadersAreTogetherAndWithNobodyElse) {
  history_.begin(1, {"lock:shared"});
  history_.begin(2, {"lock:shared"});
  history_.begin(3, {"lock:fair"});
  enter(1, 0, 1, 5);
  enter(2, 2, 3, 5);
  EXPECT_EQ(to_string(history_.check()), "");
  enter(3, 4, 9, 6);
  EXPECT_EQ(history_.check().overlaps.size(), 1U);
}

TEST_F(HistoryTest, AReaderHasAGreaterTokenThanAWriterBefore) {
  history_.begin(1, {"lock:fair"});
  history_.begin(2, {"lock:shared"});
  enter(1, 0, 1, 5);
  leave(1, 2);
  enter(2, 3, 4, 5);
  EXPECT_FALSE(history_.check().disorder.empty());
}

TEST_F(HistoryTest, NoMorePermitsAreTakenThanThereAre) {
  for (const int worker : {1, 2, 3}) history_.begin(worker, {"lock:1of2"});
  enter(1, 0, 1, 5);
  enter(2, 1, 2, 6);
  EXPECT_EQ(to_string(history_.check()), "");
  enter(3, 2, 9, 7);
  EXPECT_EQ(history_.check().overlaps.size(), 1U);
  history_.begin(4, {"lock:2of2"});
  enter(4, 95, 99, 8);
  EXPECT_EQ(history_.check().overlaps.size(), 2U);
}

TEST_F(HistoryTest, ALossWithoutAReasonIsFound) {
  enter(1, 0, 1, 5);
  leave(1, 10, LossReason::gone);
  EXPECT_EQ(history_.check().lost_sections.size(), 1U);
  history_.allow_losses(window(2, 3), 2);
  EXPECT_EQ(history_.check().lost_sections.size(), 1U) << "it was not the victim";
  history_.allow_losses(window(2, 3), 1);
  EXPECT_TRUE(history_.check().none());
}

TEST_F(HistoryTest, AHolderThatIsNeverToldIsFound) {
  enter(1, 0, 1, 5);
  history_.take(record(RecordKind::untold, 1, 200));
  EXPECT_EQ(history_.check().untold.size(), 1U);
}

TEST_F(HistoryTest, AnAcquireThatFailsOutOfTurnIsFound) {
  history_.allow_failures(window(1, 2), Errc::unavailable);
  fail(1, 1, Errc::unavailable);
  EXPECT_TRUE(history_.check().none());
  fail(1, 1, Errc::rejected);
  fail(1, 3, Errc::unavailable);
  EXPECT_EQ(history_.check().failures.size(), 2U);
}

TEST_F(HistoryTest, TheLongestGapIsBetweenTheLastToLeaveAndTheNext) {
  enter(1, 0, 1, 5);
  leave(1, 10);
  enter(2, 2, 15, 6);
  leave(2, 20);
  enter(1, 16, 60, 7);
  const Gap gap = history_.longest_gap();
  EXPECT_EQ(gap.length, milliseconds{40});
  EXPECT_EQ(gap.lock, "lock");
}

}  // namespace
}  // namespace interlock::test
