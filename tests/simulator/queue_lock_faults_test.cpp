// The lock with a queue, with waiting, renewal and faults. `INTERLOCK_SLOW` asks for the bounds
// that take seconds.
#include <gtest/gtest.h>

#include <string>

#include "all_are_served.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "queue_views.hpp"
#include "single_faults.hpp"
#include "under_sanitizers.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::LeaseClientOptions;
using catalogue::queue_client_options;
using catalogue::queue_lock_scenario;

// What queue_client_options() has.
constexpr Duration ttl = std::chrono::seconds{1};

// Whether waiters enter by the message of their offer, or confirm it.
enum class Offers : bool { are_confirmed, are_entered_by };

Verdict search(std::size_t clients,
               std::size_t instants,
               const FaultBudget& faults,
               bool renews,
               Offers offers = Offers::are_confirmed) {
  LeaseClientOptions options = queue_client_options();
  options.takes_offers = offers == Offers::are_entered_by;
  options.renews = renews;
  Scenario scenario = queue_lock_scenario(clients, options, instants, wakes_within(faults, ttl));
  return explore(scenario.faults(faults));
}

class WithOneFault : public ::testing::TestWithParam<Fault> {};

#ifdef INTERLOCK_SLOW

// What a broken connection loses is proved with two clients.
TEST_P(WithOneFault, ThreeClientsAreProved) {
  const FaultBudget faults = FaultBudget().allow(GetParam()).let_requests_survive();
  const Verdict verdict = search(3, 4, faults, false);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

INSTANTIATE_TEST_SUITE_P(QueueLock, WithOneFault, ::testing::Values(INTERLOCK_SLOW), name_of);

#else

// Under sanitizers smaller bounds and fewer clients, with each fault: what these look at are memory
// accesses, and the whole bounds are proved without them.
constexpr std::size_t fewer = under_sanitizers ? 1 : 0;

TEST_P(WithOneFault, TwoClientsAreProved) {
  for (const Offers offers : {Offers::are_confirmed, Offers::are_entered_by}) {
    const Verdict verdict = search(2, 4 - 2 * fewer, FaultBudget().allow(GetParam()), true, offers);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

INSTANTIATE_TEST_SUITE_P(QueueLock, WithOneFault, faults_that_keep_keys(), name_of);
INSTANTIATE_TEST_SUITE_P(QueueLockLosesKeys, WithOneFault, faults_that_lose_keys(), name_of);

// While nobody is slow, the order is strict, also if clients die or messages are lost. (Where
// keys get lost, the order is lost with them.)
class InOrderWithOneFault : public ::testing::TestWithParam<Fault> {};

TEST_P(InOrderWithOneFault, FourClientsAreServedAsTheyCome) {
  const auto in_order = [](std::size_t clients, const FaultBudget& faults) {
    Scenario scenario = queue_lock_scenario(clients, queue_client_options(), 5 - 2 * fewer,
                                            wakes_within(faults, ttl));
    return explore(scenario.require(first_come_first_served(lease_lock_name)).faults(faults));
  };
  FaultBudget faults = FaultBudget().allow(GetParam()).pauses(0);
  const Verdict of_three = in_order(3, faults);
  EXPECT_EQ(of_three.outcome, Outcome::proved) << describe(of_three) << describe(of_three.run);
  const Verdict of_four = in_order(4 - fewer, faults.let_requests_survive());
  EXPECT_EQ(of_four.outcome, Outcome::proved) << describe(of_four) << describe(of_four.run);
}

INSTANTIATE_TEST_SUITE_P(QueueLock, InOrderWithOneFault, faults_that_keep_keys(), name_of);

// That nobody waits for ever, though a client may die or anything go wrong once, and somebody may
// be slow as often as the faults allow.
Verdict serving(std::size_t clients, const FaultBudget& faults, std::chrono::seconds limit) {
  Scenario scenario = queue_lock_scenario(clients, queue_client_options(), instants_until(limit),
                                          std::chrono::seconds{1} + milliseconds{1});
  scenario.faults(faults).late_arrivals_are_pauses();
  return explore(scenario.require(all_are_served(limit)));
}

class ServedWithOneFault : public ::testing::TestWithParam<Fault> {};

// One ttl, of a second, may have to end before the next is served; a pause may cost two seconds
// more. After a pause a client that begins again may also wait for the lock that a late request of
// its life before has taken.
TEST_P(ServedWithOneFault, NobodyOfThreeClientsWaitsForEver) {
  for (std::size_t pauses = 0; pauses <= 1 - fewer; ++pauses) {
    const int costs = GetParam() == Fault::client_restart ? 3 : 2;
    const std::chrono::seconds limit{3 + costs * static_cast<int>(pauses)};
    FaultBudget faults = FaultBudget().allow(GetParam()).pauses(pauses);
    const Verdict of_two = serving(2, faults, limit);
    EXPECT_EQ(of_two.outcome, Outcome::proved) << describe(of_two) << describe(of_two.run);
    const Verdict of_three = serving(3 - fewer, faults.let_requests_survive(), limit);
    EXPECT_EQ(of_three.outcome, Outcome::proved) << describe(of_three) << describe(of_three.run);
  }
}

INSTANTIATE_TEST_SUITE_P(QueueLock, ServedWithOneFault, faults_that_keep_keys(), name_of);
INSTANTIATE_TEST_SUITE_P(QueueLockLosesKeys, ServedWithOneFault, faults_that_lose_keys(), name_of);

TEST(ServedWithoutAFault, NobodyOfFourClientsWaitsForEver) {
  const Verdict verdict = serving(4 - fewer, FaultBudget().pauses(1), std::chrono::seconds{5});
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(ServedWithoutAFault, BehindSomebodyWhoDiedTheyWaitForItsTtl) {
  const Verdict verdict =
      serving(3, FaultBudget().allow(Fault::crash).pauses(0), std::chrono::seconds{1});
  EXPECT_EQ(verdict.property, "all are served in time") << describe(verdict);
}

TEST(WithTwoFaults, TheOrderIsKeptByThreeClientsWithACrashAndALostMessage) {
  const FaultBudget faults =
      FaultBudget().allow(Fault::crash, 2).allow(Fault::lost_message).at_most(2).pauses(0);
  Scenario scenario = queue_lock_scenario(3, queue_client_options(), 6, wakes_within(faults, ttl));
  scenario.require(first_come_first_served(lease_lock_name)).faults(faults);
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(WithOneFault, ALostMessageDelaysAWaiterUntilTheHolderItWasToldOfEnds) {
  Scenario scenario = queue_lock_scenario(2, queue_client_options(), 4);
  scenario.faults(FaultBudget().allow(Fault::lost_message));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "no unheard grant of deploy");
}

#endif

}  // namespace
}  // namespace interlock::sim
