// The production lock as a scenario: core's QueueLock, LockClient and LeaseKeeper,
// unchanged.
#pragma once

#include "interlock/protocols/queue_lock.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"

namespace interlock::sim::catalogue {

// A claim window ends before the next instant, a lease of one second after it.
QueuePolicy simulated_queue_policy();

// LeaseClientOptions of clients that queue.
LeaseClientOptions queue_client_options();

// Requires what a lock with a queue promises: require_lease_promises(); no wake-up is lost; each
// waiter that is granted the lock is notified; no queue stays for ever. If messages may be lost, or
// requests applied late, a waiter may sleep for as long as `wake_up_within`.
Scenario& require_queue_promises(Scenario& scenario, Duration wake_up_within = Duration{0});

// A scenario of `clients` clients. Requires the promises above, and
// require_lease_client_promises().
Scenario queue_lock_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             Duration wake_up_within = Duration{0});
// The same with several options: which one a client has is a branch of the search.
Scenario queue_lock_scenario(std::size_t clients,
                             std::vector<LeaseClientOptions> options,
                             std::size_t instants,
                             Duration wake_up_within = Duration{0});

}  // namespace interlock::sim::catalogue
