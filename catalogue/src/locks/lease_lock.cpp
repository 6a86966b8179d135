#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"

namespace interlock::sim::catalogue {
namespace {

// Clients that do everything but renew.
Scenario of_all_kinds(const Bounds& bounds) {
  LeaseClientOptions waits;
  waits.ttl = Ttl(std::chrono::seconds{2});
  LeaseClientOptions gives_up = waits;
  gives_up.wait = std::chrono::seconds{1};
  const FaultBudget faults = FaultBudget()
                                 .allow(Fault::crash)
                                 .allow(Fault::lost_reply, 2)
                                 .allow(Fault::restart)
                                 .at_most(2)
                                 .let_requests_survive();
  Scenario scenario = lease_lock_scenario(bounds.clients.value_or(2), {waits, gives_up}, 4);
  return require_kept_keys_promises(scenario).faults(faults);
}

Scenario renewed(const Bounds& bounds) {
  LeaseClientOptions options;
  options.renews = true;
  Scenario scenario = lease_lock_scenario(bounds.clients.value_or(2), options, 5);
  return require_kept_keys_promises(scenario);
}

}  // namespace

Entries lease_lock() {
  return {
      {
          .name = "lease-lock",
          .family = Family::locks,
          .summary = "the production lock without a queue: leases, fencing tokens, no polling",
          .protocol = "lease-lock",
          .make = of_all_kinds,
          .has_clients = true,
          .expected = proved,
          .explanation =
              R"(This is the source of a lock of this library, unchanged. Some clients wait as
long as it takes, others give up; a client may crash, answers may be lost, the server may restart.
The restart loses messages, but no requests and no answers; --faults 2/crash,lost-reply:2,restart
loses these, too, and takes four times as long. Every grant has a greater fencing token; only the
owner's token releases; no two are inside within their leases; clients that are gone leave nothing
behind; the resource refuses smaller numbers than it has seen, so that a holder which was paused
past its lease does no harm. Mutual exclusion by true time is not proved, because no lock with a
time limit can promise it.)",
      },
      {
          .name = "lease-lock-renewed",
          .family = Family::locks,
          .summary = "the production lock without a queue, with renewal while the section runs",
          .protocol = "lease-lock",
          .make = renewed,
          .has_clients = true,
          .expected = proved,
          .explanation = R"(This is lease-lock with the two tasks that keep a lease: one renews, the
other watches the local clock and reports the loss.)",
          .slow = true,
      }};
}

}  // namespace interlock::sim::catalogue
