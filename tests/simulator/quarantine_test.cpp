// What a quarantine is for: with it no two clients are inside within their leases, although a
// replica that has missed the last write takes over, or the server forgets all. Without it two are
// inside after three steps. `INTERLOCK_SLOW` asks for the bounds that take longer.
#include "interlock/sim/catalogue/quarantine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "all_are_served.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::LeaseClientOptions;
using catalogue::quarantine_scenario;
using catalogue::quarantined_client_options;
using catalogue::StoreIs;
using catalogue::unguarded_client_options;
using catalogue::WithQueue;
using std::chrono::seconds;

const Ttl a_second{seconds{1}};
// Such a lease is renewed after an instant.
const Ttl renewable{seconds{2}};

LeaseClientOptions renewing(WithQueue queues) {
  LeaseClientOptions options = quarantined_client_options(queues, renewable);
  options.renews = true;
  return options;
}

// The lock, and how its store loses what it has acknowledged.
class LosingStore : public ::testing::TestWithParam<std::tuple<WithQueue, Fault>> {
 protected:
  static WithQueue queues() { return std::get<0>(GetParam()); }
  static FaultBudget once() {
    return FaultBudget().allow(std::get<1>(GetParam())).let_requests_survive();
  }
  static void expect_proof(Scenario scenario, const FaultBudget& faults) {
    const Verdict verdict = explore(scenario.faults(faults));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
};

std::string name_of_store(const ::testing::TestParamInfo<std::tuple<WithQueue, Fault>>& info) {
  const auto [queues, fault] = info.param;
  const std::string lock = queues == WithQueue::yes ? "QueueLock" : "LeaseLock";
  return lock + (fault == Fault::failover ? "_failover" : "_restart_empty");
}

#ifdef INTERLOCK_SLOW

TEST_P(LosingStore, ThreeClientsThatMayBeSlowAreProved) {
  expect_proof(quarantine_scenario(3, quarantined_client_options(queues(), a_second), 3), once());
}

TEST_P(LosingStore, TwoClientsThatRenewAreProvedBeyondTheEndOfAQuarantine) {
  expect_proof(quarantine_scenario(2, renewing(queues()), 5), once());
}

TEST_P(LosingStore, TwoClientsAreProvedWithAllThatTheBrokenConnectionsLoseAndAnotherFault) {
  for (const Fault beside : {Fault::lost_reply, Fault::late_execution, Fault::duplicate}) {
    const FaultBudget faults = FaultBudget().allow(std::get<1>(GetParam())).allow(beside);
    expect_proof(quarantine_scenario(2, quarantined_client_options(queues(), a_second), 3), faults);
  }
}

#else

TEST_P(LosingStore, TwoClientsAreInsideAfterThreeStepsWithoutAQuarantine) {
  Scenario scenario = quarantine_scenario(2, unguarded_client_options(queues(), a_second), 3);
  const Verdict verdict = explore(scenario.faults(once()));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "exclusion within leases of deploy");
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
}

TEST_P(LosingStore, ThreeClientsAreProved) {
  expect_proof(quarantine_scenario(3, quarantined_client_options(queues(), a_second), 4),
               once().pauses(0));
  expect_proof(quarantine_scenario(3, quarantined_client_options(queues(), a_second), 4),
               once().pauses(1));
}

// While a holder whom the server has forgotten is still inside, others give up their places.
TEST_P(LosingStore, ThreeClientsOfWhichSomeGiveUpAreProvedWithALostReply) {
  LeaseClientOptions waits = quarantined_client_options(queues(), renewable);
  waits.stays = seconds{1};
  LeaseClientOptions gives_up = waits;
  gives_up.wait = seconds{1};
  Scenario scenario = quarantine_scenario(3, {waits, gives_up}, 4);
  expect_proof(std::move(scenario), once().allow(Fault::lost_reply).pauses(0));
}

TEST_P(LosingStore, TwoClientsThatRenewAreProved) {
  expect_proof(quarantine_scenario(2, renewing(queues()), 4), once());
}

TEST_P(LosingStore, TwoClientsAreProvedWithAllThatTheBrokenConnectionsLose) {
  const FaultBudget faults = FaultBudget().allow(std::get<1>(GetParam()));
  expect_proof(quarantine_scenario(2, quarantined_client_options(queues(), a_second), 4), faults);
}

TEST_P(LosingStore, TwoClientsAreProvedIfItHappensTwice) {
  const FaultBudget faults = once().allow(std::get<1>(GetParam()), 2);
  expect_proof(quarantine_scenario(2, quarantined_client_options(queues(), a_second), 4), faults);
}

TEST_P(LosingStore, TwoClientsAreProvedWithALostReplyALateOrADoubleExecution) {
  for (const Fault beside : {Fault::lost_reply, Fault::late_execution, Fault::duplicate}) {
    expect_proof(quarantine_scenario(2, quarantined_client_options(queues(), a_second), 3),
                 once().allow(beside));
  }
}

TEST_P(LosingStore, TwoClientsOfANewStoreAreProved) {
  expect_proof(
      quarantine_scenario(2, quarantined_client_options(queues(), a_second), 4, StoreIs::fresh),
      once());
}

// A waiter may back off for a second before it asks, and then wait for a quarantine of a second.
TEST_P(LosingStore, NobodyOfThreeClientsWaitsForEver) {
  Scenario scenario = quarantine_scenario(3, quarantined_client_options(queues(), a_second),
                                          instants_until(seconds{4}));
  scenario.require(all_are_served(seconds{4})).late_arrivals_are_pauses();
  expect_proof(std::move(scenario), once().pauses(0));
}

#endif

INSTANTIATE_TEST_SUITE_P(Quarantine,
                         LosingStore,
                         ::testing::Combine(::testing::Values(WithQueue::no, WithQueue::yes),
                                            ::testing::Values(Fault::failover,
                                                              Fault::restart_empty)),
                         name_of_store);

}  // namespace
}  // namespace interlock::sim
