// Each fault that a search may be allowed happens there: one that nothing in the search brings
// about would leave every proof under it empty.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "single_faults.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;

const Key key("k");
const Channel channel("c");

// A key with a ttl, readings of both clocks, a sleep, a message and a write to a resource:
// something for each fault to happen to.
Task<void> writes_and_publishes(Client& me) {
  const std::string value = "v";
  const TimePoint began = me.time().now();
  static_cast<void>(me.wall_clock().now());
  static_cast<void>(co_await me.store().set(key, value, milliseconds{2000}));
  const TimePoint until = began + seconds{1};
  co_await me.time().sleep_until(until);
  static_cast<void>(co_await me.store().publish(channel, value));
  static_cast<void>(co_await me.write("r", FencingToken(1)));
}

Task<void> listens_and_reads(Client& me) {
  const Result<SubscriptionId> made = co_await me.store().subscribe(channel);
  if (!made) co_return;
  const TimePoint until = me.time().now() + seconds{1};
  static_cast<void>(co_await me.store().await_message(*made, until));
  static_cast<void>(co_await me.store().get(key));
}

Scenario with_everything(Fault fault) {
  FaultBudget faults;
  fault == Fault::pause ? faults.pauses(1) : faults.allow(fault);
  Scenario scenario("with everything");
  scenario.client(writes_and_publishes)
      .client(listens_and_reads)
      .instants(3)
      .faults(faults)
      .allow_deadlock();
  return scenario;
}

bool has_step_with(const Run& run, Fault fault) {
  return std::any_of(run.steps.begin(), run.steps.end(),
                     [fault](const RunStep& step) { return step.fault == fault; });
}

class EveryFault : public ::testing::TestWithParam<Fault> {};

TEST_P(EveryFault, HappensInSomeRun) {
  Scenario scenario = with_everything(GetParam());
  scenario.require(
      always("no fault has happened", [](const Snapshot& world) { return world.faults == 0; }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated)
      << "no run has this fault: " << describe(verdict)
      << "say in simulator/src/model/expand_faults.hpp what it does";
  EXPECT_TRUE(has_step_with(verdict.run, GetParam())) << describe(verdict.run);
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) all.push_back(static_cast<Fault>(kind));
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllFaults, EveryFault, ::testing::ValuesIn(all_faults()), name_of);

}  // namespace
}  // namespace interlock::sim
