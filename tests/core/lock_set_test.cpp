// In which order take_all takes locks, how long it waits for each, and when it gives back.
#include "interlock/lock_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace interlock {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

// Answers as it is told, and writes down what it is asked.
class ScriptedSet final : public LockSet {
 public:
  Task<Result<std::optional<Busy>>> take(std::size_t at, std::optional<Duration> limit) override {
    asked.push_back("take " + std::to_string(at) + (limit ? ", " + in_ms(*limit) : ""));
    time += takes_long;
    if (throws_at == at) throw std::runtime_error("thrown by the user's code");
    if (fails_at == at) co_return Error(Errc::cancelled, "the wait was cancelled");
    if (away[at]-- > 0) co_return Error(Errc::unavailable, "the store is away");
    const bool refuses = is_busy ? is_busy(at, takes) : busy[at] > 0;
    ++takes;
    --busy[at];
    if (refuses) co_return std::optional(Busy(OwnerToken("another"), std::nullopt, std::nullopt));
    co_return std::optional<Busy>();
  }
  Task<void> give_back() override {
    asked.emplace_back("give back");
    co_return;
  }
  std::optional<std::size_t> lost() const override {
    if (losses == 0) return std::nullopt;
    --losses;
    return 1;
  }
  bool may_wait() const override { return waits; }
  TimePoint now() const override { return time; }

  std::map<std::size_t, int> busy;  // how often a lock is busy at first
  std::map<std::size_t, int> away;  // how often its server cannot be reached at first
  std::function<bool(std::size_t at, std::size_t asked)> is_busy;  // instead
  std::optional<std::size_t> fails_at;
  std::optional<std::size_t> throws_at;
  mutable int losses = 0;
  bool waits = true;
  TimePoint time{};
  Duration takes_long{0};
  std::size_t takes = 0;
  std::vector<std::string> asked;

 private:
  static std::string in_ms(Duration limit) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(limit).count()) + " ms";
  }
};

TEST(LockSet, FreeLocksAreTakenInTheirOrder) {
  ScriptedSet set;
  const TakenSet taken = run(take_all(set, 3));
  EXPECT_TRUE(taken && !*taken);
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "take 2, 50 ms"));
}

TEST(LockSet, ABusyLockIsWaitedForWithNothingInHandAndThenTheOthersAreTried) {
  ScriptedSet set;
  set.busy[1] = 1;
  EXPECT_TRUE(run(take_all(set, 3)));
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "give back", "take 1",
                                     "take 0, 0 ms", "take 2, 100 ms"));
}

// Found by the fault suite in a cluster: the server of the second lock was being replaced.
TEST(LockSet, AStoreThatIsAwayIsWaitedForWithNothingInHand) {
  ScriptedSet set;
  set.away[1] = 1;
  const TakenSet taken = run(take_all(set, 3));
  EXPECT_TRUE(taken && !*taken);
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "give back", "take 1",
                                     "take 0, 0 ms", "take 2, 100 ms"));
}

TEST(LockSet, AStoreThatIsAwayForTooLongIsAnError) {
  ScriptedSet set;
  set.away[1] = 2;
  EXPECT_TRUE(failed_with(run(take_all(set, 3)), Errc::unavailable));
  ScriptedSet once;
  once.away[1] = 1;
  once.waits = false;
  EXPECT_TRUE(failed_with(run(take_all(once, 3)), Errc::unavailable));
  EXPECT_THAT(once.asked, ElementsAre("take 0", "take 1, 50 ms", "give back"));
}

// Lock 0 is busy each time that it is tried with 1 in hand, and so is 1 with 0 in hand.
TEST(LockSet, HoldAndWaitDoublesWithEachRoundThatIsLostUpToItsLimit) {
  ScriptedSet set;
  set.is_busy = [](std::size_t at, std::size_t asked) {
    return asked < 8 && (at == 1 ? asked % 4 == 1 : asked % 4 == 3);
  };
  LockSetPolicy policy;
  policy.first_hold_and_wait = seconds{1};
  policy.longest_hold_and_wait = seconds{5};
  EXPECT_TRUE(run(take_all(set, 2, policy)));
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 1000 ms", "give back",  //
                                     "take 1", "take 0, 0 ms", "give back",     //
                                     "take 0", "take 1, 4000 ms", "give back",  //
                                     "take 1", "take 0, 0 ms", "give back",     //
                                     "take 0", "take 1, 5000 ms"));
}

TEST(LockSet, ARoundHasOneLimitForAllThatItWaitsForWithLocksInHand) {
  ScriptedSet set;
  set.takes_long = milliseconds{20};
  EXPECT_TRUE(run(take_all(set, 5)));
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "take 2, 30 ms", "take 3, 10 ms",
                                     "take 4, 0 ms"));
}

TEST(LockSet, IfTheCallerMayNotWaitTheFirstBusyLockIsTheAnswer) {
  ScriptedSet set;
  set.busy[1] = 1;
  set.waits = false;
  const TakenSet taken = run(take_all(set, 3));
  ASSERT_TRUE(taken && *taken);
  EXPECT_EQ((*taken)->at, 1U);
  EXPECT_EQ((*taken)->busy.holder.text(), "another");
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "give back"));
}

TEST(LockSet, ALockThatIsBusyUntilTheWaitEndsIsTheAnswer) {
  ScriptedSet set;
  set.busy[0] = 1;
  const TakenSet taken = run(take_all(set, 2));
  ASSERT_TRUE(taken && *taken);
  EXPECT_EQ((*taken)->at, 0U);
  EXPECT_THAT(set.asked, ElementsAre("take 0"));
}

TEST(LockSet, AfterAnErrorNothingIsKept) {
  ScriptedSet set;
  set.fails_at = 1;
  EXPECT_TRUE(failed_with(run(take_all(set, 3)), Errc::cancelled));
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "give back"));
}

TEST(LockSet, ALeaseThatEndedMeanwhileIsTakenAnew) {
  ScriptedSet set;
  set.losses = 1;
  const TakenSet taken = run(take_all(set, 2));
  EXPECT_TRUE(taken && !*taken);
  EXPECT_THAT(set.asked,
              ElementsAre("take 0", "take 1, 50 ms", "give back", "take 1", "take 0, 0 ms"));
}

TEST(LockSet, ALeaseThatEndedMeanwhileIsAnErrorIfTheCallerMayNotWait) {
  ScriptedSet set;
  set.losses = 1;
  set.waits = false;
  EXPECT_TRUE(failed_with(run(take_all(set, 2)), Errc::unavailable));
  EXPECT_THAT(set.asked, ElementsAre("take 0", "take 1, 50 ms", "give back"));
}

TEST(LockSet, WhatTheUsersCodeThrowsPassesThrough) {
  ScriptedSet set;
  set.throws_at = 1;
  EXPECT_THROW(static_cast<void>(run(take_all(set, 2))), std::runtime_error);
}

}  // namespace
}  // namespace interlock
