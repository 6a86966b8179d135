#include "interlock/sim/catalogue/queue_lock.hpp"

#include "all.hpp"
#include "interlock/sim/catalogue/quarantine.hpp"

namespace interlock::sim::catalogue {
namespace {

using std::chrono::seconds;

// One kind of client renews and stays for a while, one gives up, and one does not queue. Time
// passes only while nobody could move, so that nobody is slow: then the order is strict.
Scenario of_all_kinds(const Bounds& bounds) {
  // Offers last longer than an instant, so that a lease that begins with one can be renewed.
  LeaseClientOptions fair = queue_client_options(milliseconds{1500});
  fair.ttl = Ttl(seconds{2});
  LeaseClientOptions renews = fair;
  renews.renews = true;
  renews.stays = seconds{1};
  LeaseClientOptions gives_up = fair;
  gives_up.wait = seconds{1};
  LeaseClientOptions plain;
  plain.ttl = fair.ttl;
  const FaultBudget faults = FaultBudget()
                                 .allow(Fault::crash)
                                 .allow(Fault::lost_reply)
                                 .allow(Fault::restart)
                                 .at_most(1)
                                 .pauses(0)
                                 .let_requests_survive();
  // Behind a holder that does not queue, waiters in the queue ask once a second.
  Scenario scenario = queue_lock_scenario(bounds.clients.value_or(3), {renews, gives_up, plain}, 4,
                                          seconds{1} + milliseconds{1});
  return require_kept_keys_promises(scenario)
      .require(mutual_exclusion(lease_lock_name))
      .require(first_come_first_served(lease_lock_name))
      .faults(faults);
}

// Some give up while a holder whom the server has forgotten is still inside.
Scenario at_a_store_that_forgets(const Bounds& bounds) {
  LeaseClientOptions waits = quarantined_client_options(WithQueue::yes, Ttl(seconds{2}));
  waits.stays = seconds{1};
  LeaseClientOptions gives_up = waits;
  gives_up.wait = seconds{1};
  const FaultBudget faults = FaultBudget()
                                 .allow(Fault::failover)
                                 .allow(Fault::restart_empty)
                                 .at_most(1)
                                 .pauses(0)
                                 .let_requests_survive();
  Scenario scenario = quarantine_scenario(bounds.clients.value_or(3), {waits, gives_up}, 4);
  return scenario.faults(faults);
}

}  // namespace

Entries queue_lock() {
  return {
      {
          .name = "queue-lock",
          .family = Family::locks,
          .summary = "the production lock: a queue, first come, first served",
          .protocol = "queue-lock",
          .make = of_all_kinds,
          .has_clients = true,
          .expected = proved,
          .explanation =
              R"(This is the source of this library's default lock, unchanged. In one step a
release offers the lock to the first waiter in the queue and notifies that waiter alone, which
enters by the message, or confirms by claiming if the message comes late. A client chooses at its
start of which kind it is: it renews, gives up after a second (branch 1), or does not queue at all
(branch 2). The restart loses messages, but no requests and no answers: if it lost these,
three clients would have more than 20 million states. With two clients,
--faults 1/crash,pause:0,lost-reply,restart loses these, too. Time passes here only while nobody
could move, so that nobody is slow: then the order is strict, and no two clients are inside at one
time. To slow clients it promises what lease-lock promises.)",
      },
      {
          .name = "queue-lock-quarantine",
          .family = Family::locks,
          .summary =
              "the production lock at a store with after-failover=wait, which forgets grants",
          .protocol = "queue-lock",
          .make = at_a_store_that_forgets,
          .has_clients = true,
          .expected = proved,
          .explanation = R"(This is queue-lock with a quarantine. A replica that has missed the last
write takes over, or the server comes back without its data; each script that could grant the lock
finds that the server is another one than before, and grants nothing to a new owner for one longest
ttl. By then each lease that the server may have forgotten is over. Releases go on, and hand over to
nobody: without that rule, a waiter that gives up its place would give the free lock to the next one
while the forgotten holder is still inside. The search visits replicas that have missed one write,
and servers that have lost everything.)",
      }};
}

}  // namespace interlock::sim::catalogue
