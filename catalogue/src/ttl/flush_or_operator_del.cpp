#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Task<void> impatient_operator(Client& me) {
  static_cast<void>(co_await me.store().erase(Key(foo)));
}
Task<void> impatient_operator_of_lease_lock(Client& me) {
  static_cast<void>(co_await me.store().erase(Key(lease_lock_name)));
}

Scenario broken(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  add_visitors(scenario, 2, ttl_lock_of(), visit)
      .client(impatient_operator)
      .require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Scenario scenario("");
  scenario.clients(2, lease_client(LeaseClientOptions()))
      .client(impatient_operator_of_lease_lock)
      .instants(2)
      .resource_checks_fencing(lease_lock_resource)
      .require(fenced_writes(lease_lock_resource))
      .require(fencing_grows(lease_lock_name));
  return scenario;
}

}  // namespace

Entries flush_or_operator_del() {
  return {
      {
          .name = "flush-or-operator-del",
          .family = Family::ttl,
          .summary = "somebody deletes the key by hand while the holder works",
          .protocol = "ttl-lock",
          .make = broken,
          .expected = violated("mutual exclusion of lock.foo", 3),
          .explanation = R"(A works. An operator, C, sees a lock that seems to hang, and deletes
it in step 2 (C DEL). B gets it in step 3 (B SETNX), and A is not told.)",
          .fix = "fencing tokens; and a tool that removes one holder and never the next one",
          .repairs = {{"flush-or-operator-del-repaired", "fencing tokens, checked by the resource",
                       true, "The resource refuses a holder whose lock was deleted."}},
          .sources = {"redisson#3829"},
      },
      {
          .name = "flush-or-operator-del-repaired",
          .family = Family::ttl,
          .summary = "lease-lock: the resource refuses a holder whose lock was deleted",
          .protocol = "lease-lock",
          .make = repaired,
          .expected = proved,
          .explanation =
              "The counter of fencing tokens is another key than the lock's, and outlives it.",
          .repairs_what = "flush-or-operator-del",
      }};
}

}  // namespace interlock::sim::catalogue
