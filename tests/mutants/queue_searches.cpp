#include "queue_searches.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "interlock/sim/catalogue/queue_lock.hpp"
#include "promises.hpp"
#include "simulator/queue_views.hpp"

namespace interlock::mutants {
namespace {

using sim::Fault;
using sim::FaultBudget;
using sim::Scenario;
using sim::catalogue::LeaseClientOptions;
using sim::catalogue::queue_client_options;
using sim::catalogue::queue_lock_scenario;
using std::chrono::seconds;

LeaseClientOptions for_a_second() {
  LeaseClientOptions options = queue_client_options();
  options.wait = seconds{1};
  return options;
}
// So long that others give up meanwhile.
LeaseClientOptions for_a_while() {
  LeaseClientOptions options = queue_client_options();
  options.ttl = Ttl(seconds{2});
  options.stays = seconds{1};
  return options;
}
LeaseClientOptions cancelled() {
  LeaseClientOptions options = queue_client_options();
  options.cancelled_after = seconds{1};
  return options;
}

// Each client is one of `kinds`. Clients that have gone leave nothing, because no fault keeps a
// client's last request from the store.
Scenario queue_of(std::size_t clients, std::vector<LeaseClientOptions> kinds) {
  Scenario scenario("queue");
  scenario.clients(clients, sim::catalogue::lease_client(std::move(kinds))).instants(4);
  sim::catalogue::require_queue_promises(scenario);
  sim::catalogue::require_lease_client_promises(scenario);
  return scenario.require(sim::gone_leave_nothing(lock_name));
}

// While nobody is slow.
Scenario in_order(Scenario scenario, FaultBudget faults = {}) {
  scenario.require(sim::first_come_first_served(lock_name));
  return scenario.faults(faults.pauses(0));
}

using Client = sim::ClientView;

bool has_gone(const Client& client) {
  return client.status == Client::Status::done;
}

// None of those clients is in the queue.
sim::Property never_queued(const char* name, bool (*who)(const Client&)) {
  return sim::always(name, [who](const sim::Snapshot& now) {
    return std::none_of(now.clients.begin(), now.clients.end(), [&](const Client& client) {
      return who(client) && is_queued(now, client, lock_name);
    });
  });
}

}  // namespace

Scenario queueing(FaultBudget faults) {
  return in_order(queue_lock_scenario(3, queue_client_options(), 4), faults);
}
Scenario queueing_with_pauses(FaultBudget faults) {
  return queue_lock_scenario(3, queue_client_options(), 4).faults(faults);
}
Scenario queueing_for_a_while() {
  return in_order(queue_lock_scenario(3, for_a_second(), 4));
}

Scenario giving_up_in_the_queue() {
  return in_order(queue_of(3, {for_a_while(), for_a_second()}));
}
Scenario cancelled_in_the_queue() {
  return in_order(queue_of(3, {for_a_while(), cancelled()}));
}
// A client whose release is refused leaves the key, and the place of the offer by whose message it
// entered; but the queue must not name clients that have gone, if all confirm their offers.
Scenario refused_in_the_queue() {
  const FaultBudget faults = FaultBudget().allow(Fault::rejected);
  LeaseClientOptions options = queue_client_options();
  options.takes_offers = false;
  return in_order(queue_lock_scenario(3, options, 4), faults)
      .require(never_queued("who has gone is not in the queue", has_gone));
}

Scenario inside_and_not_queued() {
  LeaseClientOptions options = queue_client_options();
  options.takes_offers = false;
  return queue_lock_scenario(3, options, 4)
      .require(never_queued("who is inside is not in the queue", sim::is_inside));
}

Scenario offers() {
  return sim::catalogue::offered_scenario(sim::catalogue::long_offer_options(), 5);
}
Scenario offers_said_twice() {
  return sim::catalogue::repeated_offer_scenario(queue_client_options(), 2);
}
Scenario offers_beyond_the_ttl() {
  const FaultBudget faults = FaultBudget().allow(Fault::duplicate);
  return sim::catalogue::offered_scenario(sim::catalogue::long_offer_options(Ttl(seconds{2})), 4)
      .faults(faults);
}

Scenario asked_twice() {
  const FaultBudget faults = FaultBudget().allow(Fault::duplicate);
  Scenario scenario =
      queue_lock_scenario(3, queue_client_options(), 4, seconds{1} + milliseconds{1});
  return in_order(std::move(scenario), faults).require(sim::gone_leave_nothing(lock_name));
}

Scenario cut_off_in_the_queue() {
  return queueing(FaultBudget()
                      .allow(Fault::restart)
                      .allow(Fault::unreachable)
                      .at_most(1)
                      .let_requests_survive());
}

// Leases of three seconds, so that the end of the holder's lease wakes no waiter in time. Behind a
// holder that does not hand over, waiters in the queue poll.
Scenario beside_the_queue() {
  LeaseClientOptions plain;
  LeaseClientOptions fair = queue_client_options();
  fair.ttl = plain.ttl;
  Scenario scenario("beside the queue");
  scenario.clients(2, sim::catalogue::lease_client(std::move(fair)))
      .client(sim::catalogue::lease_client(std::move(plain)))
      .instants(3);
  sim::catalogue::require_queue_promises(scenario, seconds{1} + milliseconds{1});
  sim::catalogue::require_lease_client_promises(scenario);
  return scenario.require(sim::gone_leave_nothing(lock_name));
}

}  // namespace interlock::mutants
