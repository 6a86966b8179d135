#include "interlock/sim/catalogue/quarantine.hpp"

#include <utility>

#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::sim::catalogue {
namespace {

LeaseClientOptions client_options(WithQueue queues, Ttl ttl, std::optional<Quarantine> quarantine) {
  LeaseClientOptions options;
  options.ttl = ttl;
  options.lock = [=](KeyValueStore& store, TimeSource& time) -> std::unique_ptr<LockProtocol> {
    if (queues == WithQueue::no) {
      return std::make_unique<LeaseLock>(store, time, SafetyMargin(), quarantine);
    }
    return std::make_unique<QueueLock>(store, time, SafetyMargin(), simulated_queue_policy(),
                                       quarantine);
  };
  return options;
}

}  // namespace

LeaseClientOptions quarantined_client_options(WithQueue queues, Ttl ttl) {
  return client_options(queues, ttl, Quarantine(ttl));
}
LeaseClientOptions unguarded_client_options(WithQueue queues, Ttl ttl) {
  return client_options(queues, ttl, std::nullopt);
}

Scenario quarantine_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             StoreIs store) {
  std::vector<LeaseClientOptions> one{std::move(options)};
  return quarantine_scenario(clients, std::move(one), instants, store);
}

Scenario quarantine_scenario(std::size_t clients,
                             std::vector<LeaseClientOptions> options,
                             std::size_t instants,
                             StoreIs store) {
  Scenario scenario("quarantine");
  const milliseconds lasts = options.front().ttl.duration();
  scenario.clients(clients, lease_client(std::move(options)))
      .instants(instants)
      .long_lived_keys_stay();
  // The quarantine of the simulated server's first incarnation is over.
  if (store == StoreIs::known) {
    scenario.initially(incarnation_key(), Entry("i0 0 " + std::to_string(lasts.count())));
  }
  require_lease_client_promises(require_lease_promises(scenario));
  return scenario.require(lease_exclusion(lease_lock_name));
}

}  // namespace interlock::sim::catalogue
