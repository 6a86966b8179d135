// Readers, holders of permits and owners who want the lock alone: who may have it together, in what
// order, and that nobody is forgotten.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/group_lock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "single_faults.hpp"
#include "small_search.hpp"

namespace interlock::sim {
namespace {

using catalogue::group_lock_name;
using catalogue::group_lock_scenario;
using catalogue::GroupClientOptions;
using std::chrono::seconds;
using Wants = GroupClientOptions::Wants;

const Key holders("{catalogue}:interlock:holders");

void expect_proved(const Scenario& scenario) {
  expect_proved_within(scenario, 6'000'000);
}

GroupClientOptions reader() {
  return GroupClientOptions(Wants::shared);
}
GroupClientOptions writer() {
  return GroupClientOptions(Wants::alone);
}
GroupClientOptions with(int wanted, int all) {
  return GroupClientOptions(Permits(wanted, all));
}
GroupClientOptions staying(GroupClientOptions options, Duration stays) {
  options.stays = stays;
  return options;
}

GroupClientOptions starting_late(GroupClientOptions options, Duration begins_after) {
  options.begins_after = begins_after;
  return options;
}

TEST(GroupLockSearch, OneReaderAndOneWriter) {
  expect_proved(group_lock_scenario({reader(), writer()}, 3));
}

TEST(GroupLockSearch, TwoReadersAndAWriter) {
  expect_proved(group_lock_scenario({reader(), reader(), writer()}, 2));
}

TEST(GroupLockSearch, AReaderAndTwoWriters) {
  expect_proved(group_lock_scenario({reader(), writer(), writer()}, 2));
}

TEST(GroupLockSearch, PermitsOfTwo) {
  expect_proved(group_lock_scenario({with(1, 2), with(1, 2), with(1, 2)}, 2));
}

TEST(GroupLockSearch, AHeavyHolderAndTwoLight) {
  expect_proved(group_lock_scenario({with(2, 2), with(1, 2), with(1, 2)}, 2));
}

TEST(GroupLockSearch, AHeavyHolderJoinsALightOne) {
  expect_proved(group_lock_scenario({with(1, 3), with(2, 3), with(1, 3)}, 2));
}

TEST(GroupLockSearch, KindsOnOneName) {
  expect_proved(group_lock_scenario({reader(), with(1, 2), writer()}, 2));
  expect_proved(
      group_lock_scenario({reader(), with(1, 2), GroupClientOptions(Wants::without_queue)}, 2));
  expect_proved(
      group_lock_scenario({reader(), reader(), GroupClientOptions(Wants::without_queue)}, 2));
}

TEST(GroupLockSearch, SectionsThatLast) {
  expect_proved(without_pauses(group_lock_scenario(
      {staying(reader(), seconds{1}), reader(), staying(writer(), seconds{1})}, 4)));
  expect_proved(without_pauses(group_lock_scenario(
      {staying(with(1, 2), seconds{1}), with(2, 2), staying(with(1, 2), seconds{1})}, 4)));
  expect_proved(
      group_lock_scenario({staying(reader(), seconds{1}), staying(writer(), seconds{1})}, 4));
}

GroupClientOptions renewing(GroupClientOptions options, int times = 1) {
  options.renewals = times;
  options.stays = seconds{1};
  return options;
}

TEST(GroupLockSearch, RenewedLeases) {
  expect_proved(
      without_pauses(group_lock_scenario({renewing(reader(), 3), reader(), writer()}, 6)));
  expect_proved(
      without_pauses(group_lock_scenario({renewing(with(1, 2), 3), with(2, 2), with(1, 2)}, 6)));
  expect_proved(group_lock_scenario({renewing(reader()), writer()}, 4));
  expect_proved(group_lock_scenario({renewing(with(1, 2)), with(2, 2)}, 4));
}

GroupClientOptions impatient(GroupClientOptions options, Duration wait) {
  options.wait = wait;
  return options;
}

TEST(GroupLockSearch, OneWhoGivesUp) {
  for (const Duration wait : {Duration{0}, Duration(seconds{1})}) {
    const auto proved = [](std::vector<GroupClientOptions> clients) {
      expect_proved(without_pauses(group_lock_scenario(std::move(clients), 5)));
    };
    proved({staying(reader(), seconds{2}), impatient(writer(), wait), reader()});
    proved({staying(writer(), seconds{2}), impatient(reader(), wait), reader()});
    proved({staying(with(1, 2), seconds{2}), impatient(with(2, 2), wait), with(1, 2)});
    expect_proved(group_lock_scenario({impatient(reader(), wait), impatient(writer(), wait)}, 3));
  }
}

// Who is not served within so long has been forgotten: leases last longer.
GroupClientOptions served_within(GroupClientOptions options, Duration wait) {
  options.served_within = wait;
  return options;
}
Scenario with_long_leases(std::vector<GroupClientOptions> clients) {
  for (GroupClientOptions& each : clients) each.ttl = Ttl(seconds{8});
  return without_pauses(group_lock_scenario(std::move(clients), 12));
}

TEST(GroupLockSearch, WhoCanJoinWhenAWriterGivesUpJoins) {
  expect_proved(with_long_leases({staying(reader(), seconds{6}), impatient(writer(), seconds{1}),
                                  served_within(reader(), seconds{3})}));
}

TEST(GroupLockSearch, ReadersAreAdmittedTogether) {
  expect_proved(with_long_leases({staying(impatient(writer(), Duration{0}), seconds{1}),
                                  served_within(staying(reader(), seconds{5}), seconds{3}),
                                  served_within(staying(reader(), seconds{5}), seconds{3})}));
}

TEST(GroupLockSearch, PermitsThatAreGivenBackAreTakenAtOnce) {
  expect_proved(with_long_leases({staying(with(1, 2), seconds{5}), staying(with(1, 2), seconds{1}),
                                  served_within(with(1, 2), seconds{3})}));
}

// A reader that comes while a writer waits stands behind it, and is not in for longer than that.
TEST(GroupLockSearch, AWriterThatWaitsStopsNewReaders) {
  expect_proved(
      with_long_leases({staying(reader(), seconds{2}), served_within(writer(), seconds{3}),
                        starting_late(staying(reader(), seconds{2}), seconds{1})}));
}

TEST(GroupLockSearch, ReadersThatHaveLeftKeepNobodyOut) {
  expect_proved(with_long_leases(
      {staying(reader(), seconds{1}), reader(), served_within(writer(), seconds{1})}));
}

// Nobody of a group whose lock was lost is in the next one.
TEST(GroupLockSearch, AGroupBeginsEmpty) {
  Scenario scenario =
      with_long_leases({with(1, 2), with(1, 2), served_within(with(2, 2), seconds{1})});
  scenario.initially(holders,
                     Entry::list({"900000000000000 il1:gone/permits:2of2/fair"}, std::nullopt));
  expect_proved(scenario);
}

TEST(GroupLockSearch, PermitsOfADeadHolderAreFreeWhenItsLeaseEnds) {
  Scenario scenario = with_long_leases({served_within(with(1, 2), seconds{2})});
  scenario.initially(Key(group_lock_name), Entry("il1:group:2:2/fair", milliseconds{9000}));
  scenario.initially(
      holders, Entry::list({"1000 il1:gone/permits:1of2/fair", "9000 il1:stays/permits:1of2/fair"},
                           milliseconds{9000}));
  expect_proved(scenario);
}

TEST(GroupLockSearch, LeasesOfDifferentLength) {
  GroupClientOptions longer = staying(reader(), seconds{2});
  longer.ttl = Ttl(seconds{4});
  GroupClientOptions shorter = staying(reader(), seconds{3});
  shorter.ttl = Ttl(seconds{1});
  expect_proved(without_pauses(group_lock_scenario({longer, shorter, writer()}, 6)));
}

TEST(GroupLockSearch, ADowngradeLetsNobodyInBetween) {
  GroupClientOptions options = writer();
  options.downgrades = true;
  expect_proved(group_lock_scenario({options, reader()}, 3));
  expect_proved(group_lock_scenario({options, writer()}, 3));
  expect_proved(group_lock_scenario({options, reader(), writer()}, 2));
  options.stays = seconds{1};
  expect_proved(without_pauses(group_lock_scenario({options, reader(), writer()}, 5)));
}

class GroupLockWithOneFault : public ::testing::TestWithParam<Fault> {
 protected:
  static Scenario under(std::vector<GroupClientOptions> clients, std::size_t instants) {
    for (GroupClientOptions& each : clients) each.ttl = Ttl(seconds{1});
    Scenario scenario = group_lock_scenario(std::move(clients), instants, seconds{2});
    return scenario.faults(FaultBudget().allow(GetParam()));
  }
};

TEST_P(GroupLockWithOneFault, AReaderAndAWriter) {
  expect_proved(under({reader(), writer()}, 2));
}
TEST_P(GroupLockWithOneFault, TwoReadersAndAWriter) {
  expect_proved(under({reader(), reader(), writer()}, 1));
}
TEST_P(GroupLockWithOneFault, HoldersOfPermits) {
  expect_proved(under({with(2, 2), with(1, 2)}, 2));
  expect_proved(under({with(1, 2), with(2, 2), with(1, 2)}, 1));
}

INSTANTIATE_TEST_SUITE_P(GroupLock, GroupLockWithOneFault, faults_that_keep_keys(), name_of);

// A store that forgets grants, with a quarantine as long as a ttl.
class GroupLockWithAQuarantine : public ::testing::TestWithParam<Fault> {
 protected:
  static Scenario under(std::vector<GroupClientOptions> clients, std::size_t instants) {
    const Ttl ttl(seconds{1});
    for (GroupClientOptions& each : clients) {
      each.ttl = ttl;
      each.quarantine = Quarantine(ttl);
    }
    Scenario scenario = group_lock_scenario(std::move(clients), instants, seconds{2});
    // The quarantine of the server's first incarnation is over.
    const std::string lasts = std::to_string(ttl.duration().count());
    scenario.initially(incarnation_key(), Entry("i0 0 " + lasts));
    EXPECT_TRUE(scenario.require_only({PropertyKind::lease_exclusion, PropertyKind::deadlock}));
    return scenario.faults(FaultBudget().allow(GetParam()));
  }
};

TEST_P(GroupLockWithAQuarantine, LeasesExcludeEachOther) {
  expect_proved(under({reader(), writer()}, 2));
  expect_proved(under({with(2, 2), with(1, 2)}, 2));
  GroupClientOptions downgrades = writer();
  downgrades.downgrades = true;
  expect_proved(under({downgrades, writer()}, 2));
}

INSTANTIATE_TEST_SUITE_P(GroupLock,
                         GroupLockWithAQuarantine,
                         ::testing::Values(Fault::restart_empty, Fault::failover),
                         name_of);

TEST(GroupLockSearch, NobodyWaitsForEver) {
  for (const auto& clients :
       {std::vector{reader(), reader(), writer()}, std::vector{reader(), writer(), writer()},
        std::vector{with(1, 2), with(2, 2), with(1, 2)},
        std::vector{reader(), with(1, 1), writer()}}) {
    Scenario scenario = group_lock_scenario(clients, 1);
    expect_proved(scenario.require(every_waiter_acquires(group_lock_name)));
  }
}

}  // namespace
}  // namespace interlock::sim
