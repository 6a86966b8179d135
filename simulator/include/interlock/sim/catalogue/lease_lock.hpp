// The production lock as a scenario: core's LeaseLock, LockClient and LeaseKeeper, unchanged.
#pragma once

#include <functional>
#include <memory>

#include "interlock/lock_client.hpp"
#include "interlock/sim/client.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

// No chance, and pauses that end at an instant.
WaitPolicy simulated_wait_policy();

// The lock that a client uses.
using MakeLock = std::function<std::unique_ptr<LockProtocol>(KeyValueStore&, TimeSource&)>;

class LeaseClientOptions {
 public:
  LeaseClientOptions();
  MakeLock lock;  // LeaseLock
  // How the wait for the lock ends: none waits for ever, zero tries once.
  std::optional<Duration> wait;
  Ttl ttl{std::chrono::seconds{3}};
  // A second task renews the lease, a third one watches its end.
  bool renews = false;
  // How often the section writes to the protected resource.
  int writes = 1;
};

inline constexpr const char* lease_lock_name = "deploy";
inline constexpr const char* lease_lock_resource = "database";

// Acquires, writes with its fencing token, releases. Stops writing when its lease is lost.
Program lease_client(LeaseClientOptions options);

// What every lock promises whose grant is a lease, of clients that write to a resource which checks
// fencing tokens.
Scenario& require_lease_promises(Scenario& scenario);

// `clients` of them; the resource checks fencing tokens. Requires all that LeaseLock promises; not
// plain mutual exclusion, which no lease can promise. Where messages may be lost, a waiter may
// sleep for as long as `wake_up_within`.
Scenario lease_lock_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             Duration wake_up_within = Duration{0});

}  // namespace interlock::sim::catalogue
