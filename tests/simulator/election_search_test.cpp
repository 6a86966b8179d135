// Leaders exclude each other, and observers learn of each change.
#include <gtest/gtest.h>

#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/election.hpp"
#include "single_faults.hpp"
#include "small_search.hpp"

namespace interlock::sim {
namespace {

using catalogue::election_scenario;
using catalogue::ElectionOptions;
using std::chrono::seconds;

// `without_pauses`, an observer that has nothing more to hear has been told last what is.
void expect_proved(const Scenario& scenario) {
  expect_proved_within(scenario, 6'000'000);
}

std::unique_ptr<LockProtocol> lease_lock(KeyValueStore& store, TimeSource& time) {
  return std::make_unique<LeaseLock>(store, time);
}

TEST(ElectionSearch, AnObserverLearnsOfTwoLeadersAndTheirEnds) {
  expect_proved(without_pauses(election_scenario(2, 1, ElectionOptions(), 3)));
}

TEST(ElectionSearch, LeadersThatLeadForAWhileAreObserved) {
  ElectionOptions options;
  options.leads = seconds{1};
  options.observes = seconds{4};
  expect_proved(without_pauses(election_scenario(2, 1, options, 5)));
}

TEST(ElectionSearch, ALeaderThatGoesOnIsObserved) {
  ElectionOptions options;
  options.leads = seconds{3};
  options.ttl = Ttl(seconds{8});
  expect_proved(without_pauses(election_scenario(1, 1, options, 4)));
}

TEST(ElectionSearch, TwoObserversLearnOfALeader) {
  expect_proved(without_pauses(election_scenario(1, 2, ElectionOptions(), 3)));
}

TEST(ElectionSearch, ALeaderThatSaysSomethingElseIsHeard) {
  ElectionOptions options;
  options.proclaims_again = true;
  options.leads = seconds{1};
  expect_proved(without_pauses(election_scenario(1, 1, options, 5)));
  expect_proved(without_pauses(election_scenario(2, 1, options, 3)));
}

TEST(ElectionSearch, LocksWithoutAQueueWillDo) {
  ElectionOptions options;
  options.lock = lease_lock;
  expect_proved(without_pauses(election_scenario(2, 1, options, 3)));
}

class ElectionWithOneFault : public ::testing::TestWithParam<Fault> {
 protected:
  static Scenario scenario(std::size_t candidates) {
    ElectionOptions options;
    options.ttl = Ttl(seconds{1});
    options.wait = Duration::zero();
    options.lock = lease_lock;
    options.observes = seconds{1};
    options.proclaims_again = candidates == 1;
    const Fault fault = GetParam();
    const bool is_late = fault == Fault::drift || fault == Fault::crash ||
                         fault == Fault::lost_message || fault == Fault::client_restart;
    if (is_late) options.told_within = seconds{1};
    Scenario scenario = election_scenario(candidates, 1, options, 2);
    scenario.faults(FaultBudget().allow(GetParam()).pauses(0));
    return scenario;
  }
};

TEST_P(ElectionWithOneFault, OneLeaderThatSaysTwoThingsIsObserved) {
  expect_proved(scenario(1));
}

INSTANTIATE_TEST_SUITE_P(Election, ElectionWithOneFault, faults_that_keep_keys(), name_of);

class ProclamationThatIsNotAnswered : public ElectionWithOneFault {};

TEST_P(ProclamationThatIsNotAnswered, IsRepeated) {
  Scenario once = scenario(1);
  expect_proved(once.require(never(catalogue::broken_election::unsaid)));
}

INSTANTIATE_TEST_SUITE_P(Election,
                         ProclamationThatIsNotAnswered,
                         ::testing::Values(Fault::unreachable,
                                           Fault::lost_request,
                                           Fault::lost_reply),
                         name_of);

// Those after which nothing tells the observer that the leader is another one.
class LeaderThatIsNotHeardOf : public ElectionWithOneFault {};

TEST_P(LeaderThatIsNotHeardOf, IsSeenWhenTheLeaseOfTheOneBeforeEnds) {
  expect_proved(scenario(2));
}

INSTANTIATE_TEST_SUITE_P(Election,
                         LeaderThatIsNotHeardOf,
                         ::testing::Values(Fault::crash, Fault::lost_message),
                         name_of);

}  // namespace
}  // namespace interlock::sim
