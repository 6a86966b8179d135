// Replicas that take over and have missed more than the last write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Key holder("holder");
const Key witness("witness");
const Key counter("counter");
const std::string mine = "mine";

Replica lagging(std::size_t missed_writes, int instants_ahead = 0) {
  Replica replica;
  replica.missed_writes = missed_writes;
  replica.instants_ahead = instants_ahead;
  return replica;
}

// Takes two keys, one after the other, and counts as the holder once it has both. A replica that
// has missed the second write still refuses the first key to others.
Task<void> takes_two_keys(Client& me) {
  const Result<bool> first = co_await me.store().set_if_absent(holder, mine);
  if (!first || !*first) co_return;
  const Result<bool> second = co_await me.store().set_if_absent(witness, mine);
  if (!second || !*second) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

Scenario two_keys(std::size_t missed_writes) {
  Scenario scenario("keys");
  return scenario.clients(2, takes_two_keys)
      .faults(FaultBudget().allow(Fault::failover).let_requests_survive())
      .replica(lagging(missed_writes))
      .require(mutual_exclusion("lock"));
}

Task<void> counts_to_three(Client& me) {
  for (int times = 0; times < 3; ++times) {
    static_cast<void>(co_await me.store().increment(counter));
  }
}

// The counter is at 3 before the failover. Then it is at what the replica has seen.
Scenario three_counts(std::size_t missed_writes) {
  Scenario scenario("count");
  return scenario.client(counts_to_three)
      .faults(FaultBudget().allow(Fault::failover, 2).let_requests_survive())
      .replica(lagging(missed_writes))
      .require(always("anything", [](const Snapshot&) { return true; }));
}

sim::Run replayed(const Scenario& scenario, const std::string& steps) {
  const Result<ShortSchedule> schedule = parse_short(scenario.name() + ":" + steps);
  EXPECT_TRUE(schedule);
  if (!schedule) return {};
  const Result<sim::Run> run = replay(scenario, *schedule);
  EXPECT_TRUE(run) << steps << ": " << run.error().detail();
  return run ? *run : sim::Run();
}

std::int64_t count_after(const Scenario& scenario, const std::string& steps) {
  const sim::Run run = replayed(scenario, steps);
  return run.empty() ? -1 : run.steps.back().after.number("counter").value_or(0);
}

// The failovers that are possible after these steps, in the one-line form.
std::vector<std::string> failovers_after(const Scenario& scenario, const std::string& steps) {
  Simulation simulation(scenario);
  for (const RunStep& step : replayed(scenario, steps).steps) {
    EXPECT_TRUE(simulation.take(step.code));
  }
  std::vector<std::string> found;
  for (const RunStep& step : simulation.choices()) {
    if (step.fault == Fault::failover) found.push_back(print_short(step));
  }
  return found;
}

TEST(ReplicaLag, OfOneWriteLeavesTheFirstKey) {
  const Verdict verdict = explore(two_keys(1));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// A takes both keys, the replica has neither, and B takes both.
TEST(ReplicaLag, OfTwoWritesGivesBothKeysAway) {
  const Verdict verdict = explore(two_keys(2));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(print_short(verdict.run), "keys:11f1_2.22");
  const std::string told = describe(verdict.run);
  EXPECT_THAT(told, HasSubstr("-  failover, 2 writes missed  # a replica takes over that has "
                              "missed the last 2 writes\n"));
  EXPECT_THAT(verdict.bounds,
              HasSubstr("failover 1 to a replica that has missed up to 2 of the last writes"));
}

TEST(ReplicaLag, IsEachNumberOfWritesUpToTheGreatest) {
  const Scenario scenario = three_counts(3);
  EXPECT_THAT(failovers_after(scenario, "111"), ElementsAre("f1", "f1_2.", "f1_3."));
  EXPECT_EQ(count_after(scenario, "111f1"), 2);
  EXPECT_EQ(count_after(scenario, "111f1_2."), 1);
  EXPECT_EQ(count_after(scenario, "111f1_3."), 0);
  EXPECT_THAT(failovers_after(three_counts(2), "111"), ElementsAre("f1", "f1_2."));
  EXPECT_THAT(failovers_after(three_counts(0), "111"), ElementsAre("f1"));
  EXPECT_EQ(count_after(three_counts(0), "111f1"), 3);
}

// One that nobody has written to has one replica. So has one that has just taken over.
TEST(ReplicaLag, IsNoLongerThanThereAreWrites) {
  const Scenario scenario = three_counts(3);
  EXPECT_THAT(failovers_after(scenario, ""), ElementsAre("f1"));
  EXPECT_THAT(failovers_after(scenario, "1"), ElementsAre("f1"));
  EXPECT_THAT(failovers_after(scenario, "11"), ElementsAre("f1", "f1_2."));
  EXPECT_THAT(failovers_after(scenario, "11f1"), ElementsAre("f1"));
  EXPECT_EQ(count_after(scenario, "11f1f1"), 1);
  EXPECT_THAT(failovers_after(scenario, "11f11"), ElementsAre("f1"));
}

TEST(ReplicaLag, CanBeWrittenDownAndReplayed) {
  const Scenario scenario = three_counts(2);
  const sim::Run run = replayed(scenario, "11f1_2.1");
  const std::string text = print(make_schedule(run));
  EXPECT_THAT(text, HasSubstr("world fault failover missing 2\n"));
  const Result<Schedule> read = parse_schedule(text);
  ASSERT_TRUE(read) << read.error().detail();
  const Result<sim::Run> again = replay(scenario, *read);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(print_short(*again), print_short(run));
}

Task<void> leases_and_notes(Client& me) {
  const std::string owner = me.tokens().fresh().text();
  const std::optional<milliseconds> ttl = milliseconds{2500};
  const Result<bool> won = co_await me.store().set_if_absent(holder, owner, ttl);
  if (!won || !*won) co_return;
  static_cast<void>(co_await me.store().set(witness, owner, ttl));
  me.enter("lock");
  co_await me.leave("lock");
}

// What was before the last writes is renamed with the clients, and becomes older with them.
TEST(ReplicaLag, IsTheSameForIdenticalClientsAndWithoutAnEndOfTime) {
  const auto scenario = [](bool symmetry) {
    Scenario one("lease");
    one.clients(2, leases_and_notes)
        .instants(2)
        .time_without_end()
        .faults(FaultBudget().allow(Fault::failover))
        .replica(lagging(2, -1))
        .require(owner_only("holder"))
        .symmetry(symmetry);
    return one;
  };
  const Verdict merged = explore(scenario(true));
  const Verdict apart = explore(scenario(false));
  EXPECT_EQ(merged.outcome, Outcome::proved) << describe(merged);
  EXPECT_EQ(apart.outcome, Outcome::proved) << describe(apart);
  EXPECT_LT(merged.states, apart.states);
}

}  // namespace
}  // namespace interlock::sim
