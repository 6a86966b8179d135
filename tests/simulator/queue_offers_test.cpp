// A waiter that enters by the message of an offer: with offers that last for several instants, and
// with messages that come late or twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "queue_views.hpp"
#include "single_faults.hpp"
#include "under_sanitizers.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::LeaseClientOptions;
using catalogue::long_offer_options;
using catalogue::long_offers_scenario;
using catalogue::offered_scenario;
using catalogue::queue_client_options;
using catalogue::queue_lock_scenario;
using catalogue::repeated_offer_scenario;
using std::chrono::seconds;

// Under sanitizers smaller bounds: what these look at are memory accesses.
constexpr std::size_t fewer = under_sanitizers ? 1 : 0;

LeaseClientOptions renewing(Ttl ttl = Ttl(seconds{4})) {
  LeaseClientOptions options = long_offer_options(ttl);
  options.renews = true;
  return options;
}

// A waiter that confirms its offer gives up its place; one that enters by the message keeps it.
Property nobody_enters_by_a_message() {
  return always("nobody enters by a message", [](const Snapshot& now) {
    return std::none_of(now.clients.begin(), now.clients.end(), [&](const ClientView& client) {
      return is_inside(client) && is_queued(now, client, lease_lock_name);
    });
  });
}

TEST(QueueOffers, AWaiterEntersByTheMessageOfAnOffer) {
  Scenario scenario = long_offers_scenario(2, long_offer_options(), 2);
  const Verdict verdict = explore(scenario.require(nobody_enters_by_a_message()));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

TEST(QueueOffers, AWaiterThatWantsItsWholeTtlConfirmsTheOffer) {
  LeaseClientOptions options = long_offer_options();
  options.takes_offers = false;
  Scenario scenario = long_offers_scenario(2, options, 4);
  const Verdict verdict = explore(scenario.require(nobody_enters_by_a_message()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueOffers, TwoClientsThatRenewAreProved) {
  const Verdict verdict = explore(long_offers_scenario(2, renewing(), 5 - fewer));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(QueueOffers, ThreeClientsAreProved) {
  const Verdict verdict = explore(long_offers_scenario(3, long_offer_options(), 5 - fewer));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// One who waits, and two who try once: the second of them takes the lock when the offer has ended.
TEST(QueueOffers, WhoHasEnteredIsOutBeforeTheOfferEnds) {
  const Verdict verdict = explore(offered_scenario(long_offer_options(), 5));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// A request that is carried out twice may set the end of the key to one ttl.
TEST(QueueOffers, AnOfferThatIsLongerThanTheTtlLastsForOneTtl) {
  Scenario scenario = offered_scenario(long_offer_options(Ttl(seconds{2})), 4);
  const Verdict verdict = explore(scenario.faults(FaultBudget().allow(Fault::duplicate)));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// Also offers that end before the next instant: their message comes again when they have ended.
TEST(QueueOffers, AMessageMayComeTwice) {
  for (const bool is_long : {false, true}) {
    const LeaseClientOptions options = is_long ? long_offer_options() : queue_client_options();
    const Verdict verdict = explore(repeated_offer_scenario(options, 3));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

TEST(QueueOffers, AMessageMayComeLate) {
  for (const bool is_long : {false, true}) {
    const LeaseClientOptions options = is_long ? long_offer_options() : queue_client_options();
    Scenario scenario = repeated_offer_scenario(options, 3);
    const Verdict verdict = explore(scenario.faults(FaultBudget().allow(Fault::lost_message)));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

Scenario with_exclusion(std::size_t instants, Duration wake_up_within) {
  return long_offers_scenario(2, renewing(), instants, wake_up_within);
}
Scenario without_exclusion(std::size_t instants, Duration wake_up_within) {
  return queue_lock_scenario(2, renewing(), instants, wake_up_within);
}

class WithOneFault : public ::testing::TestWithParam<Fault> {};

TEST_P(WithOneFault, TwoClientsAreProved) {
  const FaultBudget faults = FaultBudget().allow(GetParam());
  // A broken connection may lose any request or answer, which makes many more states.
  const std::size_t instants = GetParam() == Fault::restart ? 4 : 5;
  // A clock that falls an instant behind is beyond the safety margin: no lease excludes then.
  const auto make = GetParam() == Fault::drift ? without_exclusion : with_exclusion;
  Scenario scenario = make(instants - fewer, wakes_within(faults, seconds{4}));
  const Verdict verdict = explore(scenario.faults(faults));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

INSTANTIATE_TEST_SUITE_P(QueueOffers, WithOneFault, faults_that_keep_keys(), name_of);

}  // namespace
}  // namespace interlock::sim
