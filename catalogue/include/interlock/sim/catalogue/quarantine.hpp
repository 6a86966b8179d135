// The production locks at a store that may fail over or lose its data, with a quarantine: core's
// LeaseLock and QueueLock, unchanged.
#pragma once

#include <vector>

#include "interlock/quarantine.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"

namespace interlock::sim::catalogue {

// Whether clients queue: by a QueueLock, or by a LeaseLock.
enum class WithQueue : bool { no, yes };

// LeaseClientOptions of clients with leases of `ttl` at a store whose longest ttl that is, too.
LeaseClientOptions quarantined_client_options(WithQueue queues, Ttl ttl);
// The same without a quarantine.
LeaseClientOptions unguarded_client_options(WithQueue queues, Ttl ttl);

// What such clients find: a store that has granted locks before, or a new one, whose first
// quarantine begins with its first request.
enum class StoreIs : bool { known, fresh };

// A scenario of `clients` clients. Requires that no two are inside within their leases, what every
// lock promises whose grant is a lease, and require_lease_client_promises().
Scenario quarantine_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             StoreIs store = StoreIs::known);
// The same with several options: which one a client has is a branch of the search. They have the
// same quarantine.
Scenario quarantine_scenario(std::size_t clients,
                             std::vector<LeaseClientOptions> options,
                             std::size_t instants,
                             StoreIs store = StoreIs::known);

}  // namespace interlock::sim::catalogue
