#include "interlock/sim/catalogue/lease_lock.hpp"

#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario broken(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  scenario.clients(2, visitor(ttl_lock_of(), visit))
      .faults(FaultBudget().allow(Fault::failover))
      .require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Scenario scenario = lease_lock_scenario(2, LeaseClientOptions(), 3);
  scenario.faults(FaultBudget().allow(Fault::failover));
  return scenario;
}

}  // namespace

Entries failover_loses_write() {
  return {
      {
          .name = "failover-loses-write",
          .family = Family::replication,
          .summary = "a replica that has not seen the grant is promoted, and grants again",
          .protocol = "ttl-lock",
          .make = broken,
          .expected = violated("mutual exclusion of lock.foo", 3, 1),
          .explanation = R"(A gets the lock in step 1 (A SETNX), from a primary that answers
before its replica knows. The primary dies, and the replica, which has not seen the grant, takes
over: step 2 (world fault failover). To it the lock is free, and B gets it in step 3 (B SETNX).)",
          .fix = "fencing tokens that grow although the last grant was forgotten; or a consensus "
                 "store",
          .repairs = {{"failover-loses-write-repaired",
                       "fencing tokens from the server's clock, checked by the resource", true,
                       "Two may believe that they hold; only the newer one's writes land."}},
          .sources =
              {"Redis manual, Distributed Locks: why failover-based implementations are not enough",
               "infrahub#9450"},
      },
      {
          .name = "failover-loses-write-repaired",
          .family = Family::replication,
          .summary = "lease-lock: tokens grow across a failover, if clocks agree",
          .protocol = "lease-lock",
          .make = repaired,
          .expected = proved,
          .explanation = "The counter of the promoted replica may be behind; the token is then "
                         "taken from the server's clock, which is not.",
          .repairs_what = "failover-loses-write",
      }};
}

}  // namespace interlock::sim::catalogue
