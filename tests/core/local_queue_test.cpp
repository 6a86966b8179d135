// What LocalQueues and LocalQueueClient do in what the search cannot see: a thread that is woken
// late.
#include "local_queue_world.hpp"

namespace interlock {
namespace {

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
  EXPECT_EQ(client.stop_handing_over(lease), nullptr);
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

TEST_F(LocalQueue, WhoGivesUpLeavesTheOthersTheirTurn) {
  lines.join(name, first, time.now());
  lines.join(name, second, time.now());
  lines.join(name, third, time.now());
  EXPECT_EQ(lines.give_up(name, *second), nullptr) << "it only waited";
  EXPECT_EQ(lines.give_up(name, *first), third) << "it led";
  EXPECT_EQ(lines.turn_of(*third), Turn::leads);
  EXPECT_EQ(lines.give_up(name, *third), nullptr);
  EXPECT_EQ(lines.give_up(name, *third), nullptr) << "there is no queue any more";
}

TEST_F(LocalQueue, WhoGivesUpWhatItWasHandedPassesItsTurnOn) {
  const Lease lease = std::get<Lease>(*run(acquire(first)));
  const auto waits = three_who_wait();
  EXPECT_EQ(lines.hand_over(lease, time.now()).holds, second);
  EXPECT_EQ(lines.give_up(name, *second), third);
  EXPECT_EQ(lines.turn_of(*third), Turn::leads);
  EXPECT_EQ(lines.turn_of(*fourth), Turn::waits);
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
  EXPECT_EQ(client.stop_handing_over(lease), nullptr);
  EXPECT_EQ(second->called, 1);
  EXPECT_TRUE(second->finds_it_held());
  time.wake_all();
  ASSERT_TRUE(waits.done());
  // What the first one had is no matter of the line any more, now or later.
  EXPECT_EQ(*run(client.release(first, lease)), ReleaseOutcome::released);
  EXPECT_EQ(client.stop_handing_over(lease), nullptr);
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

}  // namespace
}  // namespace interlock
