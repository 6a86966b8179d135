#include "interlock/sim/catalogue/queue_lock.hpp"

#include "interlock/detail/wake_up_channel.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::sim::catalogue {

QueuePolicy simulated_queue_policy() {
  QueuePolicy policy;
  policy.claim_window = milliseconds{500};
  policy.grace = std::chrono::seconds{1};
  policy.recheck = std::chrono::seconds{1};
  return policy;
}

LeaseClientOptions queue_client_options(milliseconds claim_window) {
  LeaseClientOptions options;
  options.ttl = Ttl(std::chrono::seconds{1});
  options.lock = [claim_window](KeyValueStore& store,
                                TimeSource& time) -> std::unique_ptr<LockProtocol> {
    QueuePolicy policy = simulated_queue_policy();
    policy.claim_window = claim_window;
    return std::make_unique<QueueLock>(store, time, SafetyMargin(), policy);
  };
  return options;
}

namespace {

Scenario& require_promises(Scenario& scenario, Duration wake_up_within, bool waits) {
  require_lease_promises(scenario).require(no_orphan(queue_key(Key(lease_lock_name)).text()));
  require_if(waits, scenario, no_lost_wake_up(lease_lock_name, wake_up_within));
  return require_if(waits, scenario, no_unheard_grant(lease_lock_name, wake_up_within));
}

// Repeats what it hears on the wake-up channel of the world's first client.
Task<void> repeat(Client& me) {
  // A client draws its owner token first, and the name of its channel second.
  const Channel channel = detail::wake_up_channel_of(OwnerToken("il1:A2"));
  const Result<SubscriptionId> subscribed = co_await me.store().subscribe_to_texts(channel);
  if (!subscribed) co_return;
  const TimePoint until = me.time().now() + std::chrono::seconds{2};
  const Result<Heard> heard = co_await me.store().hear(*subscribed, until);
  if (!heard || !heard->text) co_return;
  const std::string text = *heard->text;
  static_cast<void>(co_await me.store().publish(channel, text));
}

}  // namespace

LeaseClientOptions long_offer_options(Ttl ttl) {
  // Its certain part is three seconds and some milliseconds.
  LeaseClientOptions options = queue_client_options(milliseconds{3050});
  options.ttl = ttl;
  return options;
}

Scenario long_offers_scenario(std::size_t clients,
                              LeaseClientOptions options,
                              std::size_t instants,
                              Duration wake_up_within) {
  Scenario scenario = queue_lock_scenario(clients, std::move(options), instants, wake_up_within);
  require_kept_keys_promises(scenario);
  return scenario;
}

Scenario offered_scenario(LeaseClientOptions options, std::size_t instants) {
  LeaseClientOptions tries_once = options;
  tries_once.wait = Duration{0};
  Scenario scenario("offered");
  scenario.client(lease_client(std::move(options)))
      .clients(2, lease_client(std::move(tries_once)))
      .instants(instants)
      .long_lived_keys_stay();
  require_lease_promises(scenario);
  require_lease_client_promises(scenario);
  return require_kept_keys_promises(scenario);
}

Scenario repeated_offer_scenario(LeaseClientOptions options, std::size_t instants) {
  Scenario scenario = offered_scenario(std::move(options), instants);
  return scenario.client(repeat);
}

Scenario& require_queue_promises(Scenario& scenario, Duration wake_up_within) {
  return require_promises(scenario, wake_up_within, scenario.processes().size() > 1);
}

Scenario queue_lock_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             Duration wake_up_within) {
  std::vector<LeaseClientOptions> one{std::move(options)};
  return queue_lock_scenario(clients, std::move(one), instants, wake_up_within);
}

Scenario queue_lock_scenario(std::size_t clients,
                             std::vector<LeaseClientOptions> options,
                             std::size_t instants,
                             Duration wake_up_within) {
  Scenario scenario("queue-lock");
  const bool waits = somebody_waits(clients, options);
  scenario.clients(clients, lease_client(std::move(options))).instants(instants);
  // The key of a queue that nobody uses expires after a day, far beyond what a search tells apart.
  scenario.long_lived_keys_stay();
  require_promises(scenario, wake_up_within, waits);
  return require_lease_client_promises(scenario);
}

}  // namespace interlock::sim::catalogue
