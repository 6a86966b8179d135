// The production lock as a scenario: core's QueueLock, LockClient and LeaseKeeper,
// unchanged.
#pragma once

#include "interlock/protocols/queue_lock.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"

namespace interlock::sim::catalogue {

// A claim window ends before the next instant, a lease of one second after it.
QueuePolicy simulated_queue_policy();

// LeaseClientOptions of clients that queue. An offer that ends before the next instant cannot be
// renewed: clients that stay inside for longer, or renew, need a longer claim window.
LeaseClientOptions queue_client_options(
    milliseconds claim_window = simulated_queue_policy().claim_window);

// LeaseClientOptions of clients that queue, with offers that last for three instants of a second: a
// waiter may enter by an offer that it hears of an instant late, and have time left to renew its
// lease. The leases are longer, or as long as `ttl`.
LeaseClientOptions long_offer_options(Ttl ttl = Ttl(std::chrono::seconds{4}));

// A scenario of `clients` such clients, in a world in which no server loses a key: requires what a
// lock with a queue promises, and that no two clients are inside within their leases.
Scenario long_offers_scenario(std::size_t clients,
                              LeaseClientOptions options,
                              std::size_t instants,
                              Duration wake_up_within = Duration{0});

// One client that waits and two that try once, in a world in which no server loses a key: one of
// the two gives the lock to the first, and the other may take it when the offer has ended.
Scenario offered_scenario(LeaseClientOptions options, std::size_t instants);

// The same, and beside them a client that repeats the first message to the waiter, once and at any
// later time. With Fault::lost_message the message comes late; without the fault, twice.
Scenario repeated_offer_scenario(LeaseClientOptions options, std::size_t instants);

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
