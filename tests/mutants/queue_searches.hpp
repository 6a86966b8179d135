// The searches of the lock with a queue: everything that its clients do, and all that it promises.
#pragma once

#include "interlock/sim/scenario.hpp"

namespace interlock::mutants {

// Three clients who wait. While nobody is slow, the order is strict.
sim::Scenario queueing(sim::FaultBudget faults = {});
sim::Scenario queueing_with_pauses(sim::FaultBudget faults = {});
// Each waits for a second at most.
sim::Scenario queueing_for_a_while();

// Some stay inside for a while, and some wait for a second only, also behind others.
sim::Scenario giving_up_in_the_queue();
// Somebody gives up for those who wait, or their claims are refused.
sim::Scenario cancelled_in_the_queue();
sim::Scenario refused_in_the_queue();
// A client that is inside waits no longer.
sim::Scenario inside_and_not_queued();
// Some claim is carried out twice.
sim::Scenario asked_twice();
// Subscriptions end with their connections.
sim::Scenario cut_off_in_the_queue();

// Two who queue, and one who wants the same lock and does not.
sim::Scenario beside_the_queue();

}  // namespace interlock::mutants
