// The production lock with waiting and renewal, with faults: all that it promises holds in every
// run. `INTERLOCK_SLOW` asks for the bounds that take seconds.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "single_faults.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::lease_lock_scenario;
using catalogue::LeaseClientOptions;

// One instant: soon over, so that waiters take over from holders that are late. But such a lease
// has ended when its renewal falls due, so that no renewal is ever sent: that needs a ttl of two.
const Ttl ttl{std::chrono::seconds{1}};
const Ttl renewable_ttl{std::chrono::seconds{2}};

LeaseClientOptions waiting_and_renewing(Ttl lasts = ttl) {
  LeaseClientOptions options;
  options.ttl = lasts;
  options.renews = true;
  return options;
}

Verdict search(std::size_t clients,
               std::size_t instants,
               const FaultBudget& faults,
               Ttl lasts = ttl) {
  // A waiter that hears nothing wakes when the ttl it was told of has ended, and a millisecond
  // more. If a clock has fallen behind, it was told of an instant more, or counts one more.
  const bool deaf = faults.limit(Fault::lost_message) > 0;
  const bool behind = faults.limit(Fault::clock_back) + faults.limit(Fault::drift) > 0;
  Duration wakes_within{0};
  if (deaf) wakes_within = lasts.duration() + milliseconds{1};
  if (deaf && behind) wakes_within += std::chrono::seconds{1};
  Scenario scenario =
      lease_lock_scenario(clients, waiting_and_renewing(lasts), instants, wakes_within);
  return explore(scenario.faults(faults));
}

#if !defined(INTERLOCK_PAIRS) && !defined(INTERLOCK_PAIRS_OF)

class WithOneFault : public ::testing::TestWithParam<Fault> {};

#endif

#ifdef INTERLOCK_SLOW

// What a broken connection loses is proved with two clients.
TEST_P(WithOneFault, ThreeClientsAreProved) {
  const Verdict verdict = search(3, 4, FaultBudget().allow(GetParam()).let_requests_survive());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST_P(WithOneFault, TwoClientsThatRenewAreProvedBeyondTheEndOfALease) {
  const Verdict verdict = search(2, 4, FaultBudget().allow(GetParam()), renewable_ttl);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

INSTANTIATE_TEST_SUITE_P(LeaseLock, WithOneFault, ::testing::Values(INTERLOCK_SLOW), name_of);

#elif defined(INTERLOCK_PAIRS)

// Every pair but those of a server's clock that is set back with a counter that is lost, which is
// shown elsewhere. Lost messages make waiters late and have a test of their own. What broken
// connections lose has a program of its own, within two instants.
FaultBudget pairs_without(Fault one, Fault other) {
  return FaultBudget::any(2).allow(one, 0).allow(other, 0);
}

#ifdef INTERLOCK_PAIRS_THAT_LOSE

TEST(WithTwoFaults, TwoClientsWithAllThatBrokenConnectionsLoseAreProved) {
  const Verdict verdict = search(2, 2, pairs_without(Fault::clock_back, Fault::lost_message));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

#else

TEST(WithTwoFaults, TwoClientsAreProved) {
  FaultBudget faults = pairs_without(Fault::clock_back, Fault::lost_message);
  const Verdict verdict = search(2, 3, faults.let_requests_survive());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(WithTwoFaults, TwoClientsWithALostMessageAndAnotherFaultAreProved) {
  FaultBudget faults = pairs_without(Fault::clock_back, Fault::drift);
  const Verdict verdict = search(2, 3, faults.let_requests_survive());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(WithTwoFaults, TwoClientsWithAClockSetBackAndAFaultThatLosesNoDataAreProved) {
  FaultBudget faults = FaultBudget::any(2).let_requests_survive();
  faults.allow(Fault::failover, 0).allow(Fault::restart_empty, 0).allow(Fault::eviction, 0);
  faults.allow(Fault::lost_message, 0);
  const Verdict verdict = search(2, 3, faults);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

#endif

#elif defined(INTERLOCK_PAIRS_OF)

using Pair = std::pair<Fault, Fault>;

// Each fault of the list with itself and with all that come after it.
std::vector<Pair> pairs_of(std::initializer_list<Fault> firsts) {
  std::vector<Pair> pairs;
  for (const Fault first : firsts) {
    for (auto second = static_cast<std::size_t>(first); second < fault_kinds; ++second) {
      const auto other = static_cast<Fault>(second);
      if (other != Fault::pause) pairs.emplace_back(first, other);
    }
  }
  return pairs;
}

std::string name_of_pair(const ::testing::TestParamInfo<Pair>& info) {
  return word_of(info.param.first) + "_and_" + word_of(info.param.second);
}

// A counter that is lost is begun anew from the server's clock: set back, it takes the tokens back.
bool takes_tokens_back(const Pair& pair) {
  const auto has = [&](Fault fault) { return pair.first == fault || pair.second == fault; };
  const bool loses_counter =
      has(Fault::restart_empty) || has(Fault::failover) || has(Fault::eviction);
  return has(Fault::clock_back) && loses_counter;
}

class WithTwoFaults : public ::testing::TestWithParam<Pair> {};

// Every pair within three instants, in which a renewal meets another's key: one that takes no
// notice is found under every pair. All pairs together are 161 million states, the largest 6.4
// million (eviction and late execution) in 216 MB. With a fourth instant that one is 59 million,
// in 2.9 GB: no pair is searched with four here. What a broken connection loses beside another
// fault is proved with clients that do not renew.
TEST_P(WithTwoFaults, TwoClientsThatRenewAreProved) {
  const auto [one, other] = GetParam();
  FaultBudget faults = FaultBudget().let_requests_survive();
  faults.allow(one, one == other ? 2 : 1);
  if (one != other) faults.allow(other);
  const Verdict verdict = search(2, 3, faults, renewable_ttl);
  if (!takes_tokens_back(GetParam())) {
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
    return;
  }
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "fencing tokens of deploy grow");
  EXPECT_EQ(verdict.run.faults(), 2U) << describe(verdict.run);
}

INSTANTIATE_TEST_SUITE_P(LeaseLock,
                         WithTwoFaults,
                         ::testing::ValuesIn(pairs_of({INTERLOCK_PAIRS_OF})),
                         name_of_pair);

#else

TEST_P(WithOneFault, TwoClientsAreProved) {
  const Verdict verdict = search(2, 4, FaultBudget().allow(GetParam()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST_P(WithOneFault, TwoClientsThatRenewAreProved) {
  const Verdict verdict = search(2, 3, FaultBudget().allow(GetParam()), renewable_ttl);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

INSTANTIATE_TEST_SUITE_P(LeaseLock, WithOneFault, faults_that_keep_keys(), name_of);
INSTANTIATE_TEST_SUITE_P(LeaseLockLosesKeys, WithOneFault, faults_that_lose_keys(), name_of);

// The one documented case that defeats fencing tokens, found and not hidden.
TEST(WithTwoFaults, AServerClockSetBackAndALostCounterTakeFencingTokensBack) {
  FaultBudget faults;
  faults.allow(Fault::clock_back).allow(Fault::restart_empty);
  const Verdict verdict = search(2, 3, faults);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 2U) << describe(verdict.run);
}

TEST(WithTwoFaults, ALostMessageDelaysAWaiterUntilTheHoldersTtlEnds) {
  Scenario scenario = lease_lock_scenario(2, waiting_and_renewing(), 3);
  scenario.faults(FaultBudget().allow(Fault::lost_message));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "no lost wake-up on deploy");
}

// Time passes only while nobody could move: then a lease excludes.
TEST(WithoutPauses, PlainMutualExclusionIsProved) {
  LeaseClientOptions options = waiting_and_renewing();
  Scenario scenario = lease_lock_scenario(3, options, 4);
  scenario.require(mutual_exclusion(lease_lock_name)).faults(FaultBudget().pauses(0));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(WithPauses, PlainMutualExclusionIsViolatedByTheShortestSufficientOne) {
  LeaseClientOptions options = waiting_and_renewing();
  Scenario scenario = lease_lock_scenario(2, options, 4);
  scenario.require(mutual_exclusion(lease_lock_name)).faults(FaultBudget().pauses(3));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "mutual exclusion of deploy");
  // The key outlives its ttl of one instant by none: two instants of pause and another may enter.
  EXPECT_EQ(verdict.run.faults(), 2U) << describe(verdict.run);
}

#endif

}  // namespace
}  // namespace interlock::sim
