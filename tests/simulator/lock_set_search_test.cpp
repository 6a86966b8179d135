// Several locks at once: nobody holds a part of them for long, nobody waits in a circle, and nobody
// who competes for them gives back and begins anew for ever.
#include <gtest/gtest.h>

#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/lock_set.hpp"
#include "interlock/sim/explore.hpp"
#include "single_faults.hpp"
#include "small_search.hpp"

namespace interlock::sim {
namespace {

using catalogue::lock_set_scenario;
using catalogue::SetClientOptions;
using std::chrono::seconds;

using Names = std::vector<std::string>;

SetClientOptions wants(Names names, Duration wait) {
  SetClientOptions options(std::move(names));
  options.wait = wait;
  return options;
}

std::vector<SetClientOptions> all_want(std::vector<Names> sets, Duration wait) {
  std::vector<SetClientOptions> clients;
  for (Names& each : sets) clients.push_back(wants(std::move(each), wait));
  return clients;
}

// Everybody gets all locks in time, if no client is slow: time passes only while none can move. So
// a client that gave back and began anew for ever would be found as a search without an end.
Scenario in_time(std::vector<SetClientOptions> clients, std::size_t instants) {
  Scenario scenario = lock_set_scenario(std::move(clients), instants);
  scenario.faults(FaultBudget().pauses(0)).require(never(catalogue::broken_set::gives_up));
  return scenario;
}

constexpr std::uint64_t few = 400'000;

void expect_proved(const Scenario& scenario, std::uint64_t states = few) {
  expect_proved_within(scenario, states);
}

TEST(LockSetSearch, TwoClientsOfOneSetGetItInTime) {
  expect_proved(in_time(all_want({{"a", "b"}, {"a", "b"}}, seconds{4}), 6));
}

TEST(LockSetSearch, ThreeClientsOfOneSetGetItInTime) {
  expect_proved(in_time(all_want({{"a", "b"}, {"a", "b"}, {"a", "b"}}, seconds{4}), 6));
}

TEST(LockSetSearch, ThreeClientsWhoseSetsOverlapInACircleGetThemInTime) {
  expect_proved(in_time(all_want({{"a", "b"}, {"b", "c"}, {"a", "c"}}, seconds{6}), 8));
}

TEST(LockSetSearch, SetsAndASingleLockGetThemInTime) {
  expect_proved(in_time(all_want({{"a", "b"}, {"a", "b"}, {"b"}}, seconds{6}), 8));
}

TEST(LockSetSearch, SectionsThatLastLongerThanAHoldAndWaitAreWaitedFor) {
  std::vector<SetClientOptions> clients = all_want({{"a", "b"}, {"a", "b"}, {"b"}}, seconds{9});
  for (SetClientOptions& each : clients) each.stays = seconds{2};
  expect_proved(in_time(std::move(clients), 10), 5'000'000);
}

TEST(LockSetSearch, LocksWithoutAQueueAreTakenInTime) {
  std::vector<SetClientOptions> clients = all_want({{"a", "b"}, {"a", "b"}}, seconds{4});
  for (SetClientOptions& each : clients) {
    each.lock = [](KeyValueStore& store, TimeSource& time) -> std::unique_ptr<LockProtocol> {
      return std::make_unique<LeaseLock>(store, time);
    };
  }
  expect_proved(in_time(std::move(clients), 6));
}

// Why the locks are numbered in one order for everybody.
TEST(LockSetSearch, TwoOrdersAndHoldAndWaitWithoutEndWaitForEachOther) {
  std::vector<SetClientOptions> clients = all_want({{"a", "b"}, {"b", "a"}}, seconds{6});
  for (SetClientOptions& each : clients) {
    each.policy.first_hold_and_wait = each.policy.longest_hold_and_wait = seconds{100};
  }
  EXPECT_EQ(explore(in_time(std::move(clients), 8)).outcome, Outcome::violated);
}

// Why a client holds and waits for a moment: otherwise two clients may take turns in giving back,
// for ever, and no time passes.
TEST(LockSetSearch, WithoutHoldAndWaitClientsMayGiveBackForEver) {
  std::vector<SetClientOptions> clients = all_want({{"a", "b"}, {"a", "b"}, {"b"}}, seconds{6});
  for (SetClientOptions& each : clients) each.policy.first_hold_and_wait = Duration::zero();
  EXPECT_EQ(explore(in_time(std::move(clients), 8), at_most(few)).outcome, Outcome::incomplete);
}

TEST(LockSetSearch, TwoClientsWithPausesExcludeEachOtherAndLeaveNothing) {
  expect_proved(lock_set_scenario(all_want({{"a", "b"}, {"a", "b"}}, seconds{2}), 4));
}

TEST(LockSetSearch, LeasesThatEndMeanwhileAreNotEnteredWith) {
  std::vector<SetClientOptions> clients = all_want({{"a", "b"}, {"a", "b"}}, seconds{2});
  for (SetClientOptions& each : clients) each.ttl = Ttl(seconds{2});
  expect_proved(lock_set_scenario(std::move(clients), 4));
}

TEST(LockSetSearch, OneTryLeavesNothing) {
  expect_proved(
      lock_set_scenario(all_want({{"a", "b"}, {"a", "b"}, {"b", "c"}}, Duration::zero()), 3));
}

class SetWithOneFault : public ::testing::TestWithParam<Fault> {};

// Two where one begins again, which it may do at any instant: three have many more states.
TEST_P(SetWithOneFault, TwoOrThreeClientsAreProved) {
  std::vector<Names> sets{{"a", "b"}, {"a", "b"}};
  if (GetParam() != Fault::client_restart) sets.push_back({"b"});
  Scenario scenario = lock_set_scenario(all_want(sets, seconds{2}), 4);
  constexpr std::uint64_t many = 5'000'000;
  expect_proved(scenario.faults(FaultBudget().allow(GetParam()).pauses(0)), many);
}

INSTANTIATE_TEST_SUITE_P(LockSet, SetWithOneFault, faults_that_keep_keys(), name_of);

}  // namespace
}  // namespace interlock::sim
