// The production lock without a queue as a scenario: core's LeaseLock, LockClient and LeaseKeeper,
// unchanged.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "interlock/lock_client.hpp"
#include "interlock/sim/client.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

// A policy without random numbers, whose pauses end at an instant.
WaitPolicy simulated_wait_policy();

// The lock that a client uses.
using MakeLock = std::function<std::unique_ptr<LockProtocol>(KeyValueStore&, TimeSource&)>;

class LeaseClientOptions {
 public:
  LeaseClientOptions();
  MakeLock lock;  // makes a LeaseLock, unless another is set
  // The limit to the wait for the lock: none waits for ever, zero tries once.
  std::optional<Duration> wait;
  // Another task cancels the wait after this time. None: no task does.
  std::optional<Duration> cancelled_after;
  Ttl ttl{std::chrono::seconds{3}};
  // A second task renews the lease, a third one watches its end.
  bool renews = false;
  // It begins with what is left of an offer, if the lock has a queue: AcquireOptions::takes_offers.
  bool takes_offers = true;
  // How often the section writes to the protected resource.
  int writes = 1;
  // For how long the client sleeps inside, before it writes.
  Duration stays{0};
};

// The events that such a client reports (Client::reach), each the subject of a never().
namespace broken_lease {
inline constexpr const char* dead_on_arrival = "a lease is granted that has ended already";
inline constexpr const char* own_ghost = "a client waits for its own claim";
inline constexpr const char* waits_on = "a wait goes on after its time";
inline constexpr const char* listens_in_vain = "a client listens on a subscription that has ended";
inline constexpr const char* still_listening = "an acquire leaves its subscription behind";
inline constexpr const char* told_after_stop = "a keeper reports something after it was stopped";
inline constexpr const char* dead_renewal = "a renewal is reported whose lease has ended already";
inline constexpr const char* empty_renewal = "a renewal prolongs nothing";
inline constexpr const char* revival = "a renewal is sent for a lease that has ended";
}  // namespace broken_lease

inline constexpr const char* lease_lock_name = "deploy";
inline constexpr const char* lease_lock_resource = "database";

// Acquires, writes with its fencing token, releases. Stops writing when its lease is lost.
Program lease_client(LeaseClientOptions options);
// A client with one of these options: which one is a branch of the search.
Program lease_client(std::vector<LeaseClientOptions> options);

// Whether one of `clients` clients may wait for another. If none may, a property about messages is
// vacuous.
bool somebody_waits(std::size_t clients, const std::vector<LeaseClientOptions>& kinds);
// Requires the property if `it_may_break`; else only offers it, because it is vacuous.
Scenario& require_if(bool it_may_break, Scenario& scenario, Property property);

// Requires what every lock promises whose grant is a lease, for clients that write to a resource
// which checks fencing tokens. With a single client, properties about two are only offered: add the
// clients first.
Scenario& require_lease_promises(Scenario& scenario);
// Requires that no event of `broken_lease` happens, which lease_clients report.
Scenario& require_lease_client_promises(Scenario& scenario);

// For worlds in which no server loses a key: requires also that no two lease_clients are inside
// within their leases, and that clients which have gone leave nothing behind.
Scenario& require_kept_keys_promises(Scenario& scenario);

// A scenario of `clients` lease_clients; the resource checks fencing tokens. Requires all that
// LeaseLock promises, but not plain mutual exclusion, which no lease can promise. If messages may
// be lost, a waiter may sleep for as long as `wake_up_within`.
Scenario lease_lock_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             Duration wake_up_within = Duration{0});
// The same with several options: which one a client has is a branch of the search.
Scenario lease_lock_scenario(std::size_t clients,
                             std::vector<LeaseClientOptions> options,
                             std::size_t instants,
                             Duration wake_up_within = Duration{0});

}  // namespace interlock::sim::catalogue
