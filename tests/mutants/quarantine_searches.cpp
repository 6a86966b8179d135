#include "quarantine_searches.hpp"

#include "promises.hpp"

namespace interlock::mutants {

sim::Scenario quarantine(sim::catalogue::WithQueue queues, sim::Fault fault) {
  using std::chrono::seconds;
  auto waits = sim::catalogue::quarantined_client_options(queues, Ttl(seconds{2}));
  // While it is inside, others give up.
  waits.stays = seconds{1};
  auto gives_up = waits;
  gives_up.wait = seconds{1};
  sim::Scenario scenario =
      sim::catalogue::quarantine_scenario(3, {waits, gives_up}, 4, sim::catalogue::StoreIs::known);
  return scenario.faults(sim::FaultBudget().allow(fault).let_requests_survive().pauses(0));
}

}  // namespace interlock::mutants
