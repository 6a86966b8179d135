// Tests a property of the production lock for any workload, any two faults and any order of steps.
// A failing run shrinks to few faults and few preemptions, and can be replayed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/generators.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/testing.hpp"

namespace sim = interlock::sim;
using sim::Fault;

RC_GTEST_PROP(LeaseLock, IsSoundUnderTwoFaults, ()) {
  const auto workload = *sim::gen::workload(3, 1);
  sim::catalogue::LeaseClientOptions options;
  options.renews = *rc::gen::arbitrary<bool>();
  sim::Scenario scenario = sim::catalogue::lease_lock_scenario(workload.clients, options, 5);
  const auto faults = *sim::gen::faults(
      2, {Fault::crash, Fault::lost_reply, Fault::lost_request, Fault::late_execution});
  scenario.faults(faults);
  RC_CLASSIFY(faults.total() == 0, "without faults");

  const sim::Run run = sim::run_of_choices(scenario, *sim::gen::schedule());
  if (!sim::testing::is_sound("the run", run)) RC_FAIL(sim::testing::shown(run));
}
