// The searches of the lock with a queue: all that its clients can do, and all that it promises.
#pragma once

#include "interlock/sim/scenario.hpp"

namespace interlock::mutants {

// Three clients wait. While nobody is slow, the order is strict.
sim::Scenario queueing(sim::FaultBudget faults = {});
sim::Scenario queueing_with_pauses(sim::FaultBudget faults = {});
// Each client waits for a second at most.
sim::Scenario queueing_for_a_while();

// Some clients stay inside for a while, and some wait for a second only, also behind others.
sim::Scenario giving_up_in_the_queue();
// Waits are cancelled; or claims are refused.
sim::Scenario cancelled_in_the_queue();
sim::Scenario refused_in_the_queue();
// A client that is inside has no place in the queue, if all confirm their offers.
sim::Scenario inside_and_not_queued();
// Waiters enter by the messages of offers, which last for several instants; one message comes
// twice; offers are longer than leases, and the store carries out a claim twice.
sim::Scenario offers();
sim::Scenario offers_said_twice();
sim::Scenario offers_beyond_the_ttl();
// The store carries out a claim twice.
sim::Scenario asked_twice();
// Subscriptions end with their connections.
sim::Scenario cut_off_in_the_queue();

// Two clients queue, and one wants the same lock and does not queue.
sim::Scenario beside_the_queue();

}  // namespace interlock::mutants
