#include "interlock/sim/catalogue/queue_lock.hpp"

#include "../all.hpp"

namespace interlock::sim::catalogue {

Entries queue_lock() {
  return {{
      .name = "queue-lock",
      .family = Family::locks,
      .summary = "the production lock with a queue: who comes first is served first",
      .protocol = "queue-lock",
      .make =
          [](const Bounds& bounds) {
            // Time passes only while all wait: nobody is slow, and then the order is strict.
            Scenario scenario =
                queue_lock_scenario(bounds.clients.value_or(3), queue_client_options(), 4);
            scenario.require(mutual_exclusion(lease_lock_name))
                .require(first_come_first_served(lease_lock_name))
                .faults(FaultBudget().pauses(0));
            return scenario;
          },
      .has_clients = true,
      .expected = proved,
      .explanation = R"(The text of the lock that this library offers to whoever wants order.
A release offers the lock to the first in the queue, in one step, and tells that one alone; it
confirms by claiming. Time passes here only while nobody could move, so that nobody is slow: then the
order is strict, and the lease excludes. What it promises to the slow, and under faults, is lease-lock's.)",
  }};
}

}  // namespace interlock::sim::catalogue
