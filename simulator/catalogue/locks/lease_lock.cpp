#include "interlock/sim/catalogue/lease_lock.hpp"

#include "../all.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const Bounds& bounds, bool renews) {
  LeaseClientOptions options;
  options.renews = renews;
  return lease_lock_scenario(bounds.clients.value_or(2), options, 5);
}

}  // namespace

Entries lease_lock() {
  return {{
              .name = "lease-lock",
              .family = Family::locks,
              .summary = "the production lock: leases, fencing tokens, waiting without polling",
              .protocol = "lease-lock",
              .make = [](const Bounds& bounds) { return make(bounds, false); },
              .has_clients = true,
              .expected = proved,
              .explanation = R"(The text of the lock that this library offers. Every grant has
a greater fencing token; only the owner's token releases; the resource refuses smaller numbers than
it has seen, so that a holder which was paused past its lease does no harm. Mutual exclusion by true
time is not among what is proved, because no lock with a time limit can promise it.)",
          },
          {
              .name = "lease-lock-renewed",
              .family = Family::locks,
              .summary = "the production lock, with renewal while the section runs",
              .protocol = "lease-lock",
              .make = [](const Bounds& bounds) { return make(bounds, true); },
              .has_clients = true,
              .expected = proved,
              .explanation = R"(The same with the two tasks that keep a lease: one renews, the
other watches the local clock and tells of the loss.)",
              .slow = true,
          }};
}

}  // namespace interlock::sim::catalogue
