#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(std::size_t missed_writes) {
  Replica replica;
  replica.missed_writes = missed_writes;
  replica.instants_ahead = -1;
  Scenario scenario = lease_lock_under(Fault::failover, 3);
  scenario.clocks_start_at(std::chrono::seconds{100}).replica(replica);
  return scenario;
}

}  // namespace

Entries failover_clock_behind() {
  return {
      {
          .name = "failover-clock-behind",
          .family = Family::replication,
          .summary = "a replica takes over that has missed a grant and whose clock is behind",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(1); },
          .expected = violated("fencing tokens of deploy grow", 3, 1),
          .explanation =
              R"(A fencing token is the greater of counter + 1 and the server's clock, so that
it grows although one of the two was set back. In step 1 (A CLAIM) A is granted by the primary's clock.
The replica that takes over in step 2 (world fault failover) has missed that grant, the counter with
it, and its clock is behind: both are set back at once. B's token in step 3 (B CLAIM) is smaller than
A's; a resource that checks them would refuse B's writes, and take A's.)",
          .fix = "let no grant be lost (WAIT, or a consensus store), or keep the servers' clocks "
                 "closer together than a failover takes",
          .repairs = {{"failover-clock-behind-repaired",
                       "do not use a grant before the replica has it", true,
                       "The counter is there, and the next token is greater by one at least."}},
          .sources = {"derived: the case that defeats this library's fencing tokens"},
      },
      {
          .name = "failover-clock-behind-repaired",
          .family = Family::replication,
          .summary = "a replica that has missed nothing: the counter replaces the clock",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(0); },
          .expected = proved,
          .explanation =
              "Where no grant is lost, the counter pushes the tokens on until the clock has "
              "caught up. The client itself has to wait for the replica (WAIT): a grant "
              "does not.",
          .repairs_what = "failover-clock-behind",
      }};
}

}  // namespace interlock::sim::catalogue
