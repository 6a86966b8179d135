// The lock with a queue, unchanged, in every interleaving within the bounds.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::queue_client_options;
using catalogue::queue_lock_scenario;

TEST(QueueLockSearch, WaitingIsProvedForTwoClients) {
  const Verdict verdict = explore(queue_lock_scenario(2, queue_client_options(), 4));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueLockSearch, WaitingIsProvedForThreeClients) {
  const Verdict verdict = explore(queue_lock_scenario(3, queue_client_options(), 4));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueLockSearch, WaitingWithRenewalIsProvedForThreeClients) {
  catalogue::LeaseClientOptions options = queue_client_options();
  options.renews = true;
  const Verdict verdict = explore(queue_lock_scenario(3, options, 4));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueLockSearch, WaitersThatGiveUpAreProvedForThreeClients) {
  catalogue::LeaseClientOptions options = queue_client_options();
  options.wait = std::chrono::seconds{1};
  const Verdict verdict = explore(queue_lock_scenario(3, options, 3));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueLockSearch, WaitingIsProvedForFourClients) {
  const Verdict verdict = explore(queue_lock_scenario(4, queue_client_options(), 3));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// Time passes only while nobody could move: then a lease excludes, and nobody is overtaken.
TEST(QueueLockSearch, WithoutPausesFourClientsExcludeEachOtherAndAreServedAsTheyCome) {
  catalogue::LeaseClientOptions options = queue_client_options();
  options.renews = true;
  Scenario scenario = queue_lock_scenario(4, options, 4);
  scenario.require(mutual_exclusion(lease_lock_name))
      .require(first_come_first_served(lease_lock_name))
      .faults(FaultBudget().pauses(0));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// A client that does not queue may be overtaken, and takes a lock that fell free before the queue
// does; but the two exclude each other, and nobody is forgotten.
TEST(QueueLockSearch, TwoWhoQueueAndOneWhoDoesNotAreProved) {
  catalogue::LeaseClientOptions plain;
  plain.ttl = Ttl(std::chrono::seconds{1});
  // Behind a holder that does not hand over, waiters in the queue poll.
  const Duration polls_within = std::chrono::seconds{1} + milliseconds{1};
  Scenario scenario = queue_lock_scenario(2, queue_client_options(), 3, polls_within);
  scenario.client(catalogue::lease_client(plain));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// Liveness in a fair world in which no lease ends by itself: no waiter waits for ever, however slow
// the others are. (A waiter behind a client that died is woken by time; no_lost_wake_up and
// no_unheard_grant prove that it wakes in time.)
Verdict liveness(std::size_t clients) {
  catalogue::LeaseClientOptions options = queue_client_options();
  options.ttl = Ttl(std::chrono::seconds{3});
  Scenario scenario = queue_lock_scenario(clients, options, 2);
  return explore(scenario.require(every_waiter_acquires(lease_lock_name)));
}

TEST(QueueLockSearch, NobodyStarvesOfTwoClients) {
  const Verdict verdict = liveness(2);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueLockSearch, NobodyStarvesOfThreeClients) {
  const Verdict verdict = liveness(3);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

}  // namespace
}  // namespace interlock::sim
