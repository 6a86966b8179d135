#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// The store is as strict as can be, one server without a fault; the lock is the one of this
// library.
Scenario make(Property property) {
  Scenario scenario("");
  scenario.clients(2, lease_client(LeaseClientOptions()))
      .instants(6)
      .resource_checks_fencing(lease_lock_resource)
      .require(std::move(property));
  return scenario;
}

}  // namespace

Entries lease_safe_store_unsafe_lock() {
  return {
      {
          .name = "lease-safe-store-unsafe-lock",
          .family = Family::replication,
          .summary = "a perfect store does not help: the lease ends, and the holder runs on",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(mutual_exclusion(lease_lock_name)); },
          .expected = violated("mutual exclusion of deploy", 6),
          .explanation = R"(A gets the lock from a store that never errs: step 1 (A CLAIM). The
lease ends, by the store's clock and by A's; A is paused and does not look. B gets the lock in
step 6 (B CLAIM). The store has done everything right, and two clients believe that they hold the
lock.)",
          .fix =
              "do not ask a lease for mutual exclusion; ask the resource to check fencing tokens",
          .repairs = {{"lease-safe-store-unsafe-lock-repaired",
                       "require what can be promised: no stale write after a newer one", true,
                       "The resource ensures it by checking the fencing tokens."}},
          .sources = {"Jepsen, etcd 3.4.3: locks are 'fundamentally unsafe'"},
      },
      {
          .name = "lease-safe-store-unsafe-lock-repaired",
          .family = Family::replication,
          .summary = "what a lock with a time limit can promise, together with the resource",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(fenced_writes(lease_lock_resource)); },
          .expected = proved,
          .explanation = "Not 'never two', but 'never a stale write after a newer one'.",
          .repairs_what = "lease-safe-store-unsafe-lock",
      }};
}

}  // namespace interlock::sim::catalogue
