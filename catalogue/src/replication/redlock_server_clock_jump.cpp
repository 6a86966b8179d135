#include "quorum_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario broken(const Bounds&) {
  Scenario scenario = quorum_world(QuorumOptions());
  scenario.instants(1, std::chrono::seconds{60})
      .faults(FaultBudget().allow(Fault::clock_jump))
      .require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries redlock_server_clock_jump() {
  return {
      {
          .name = "redlock-server-clock-jump",
          .family = Family::replication,
          .summary = "the clock of one server jumps: its key ends early, and the majority is gone",
          .protocol = "quorum-lock",
          .make = broken,
          .expected = violated("mutual exclusion of lock.foo", 6, 1),
          .explanation = R"(A has the first server in step 1 (A SETNX). Its clock jumps in step
2 (world fault clock-jump), and the key ends at once. B gets it in step 3 (B SETNX); A gets the
second server in step 4 (A server 1 SETNX), B the third in step 6 (B server 2 SETNX). Both have
two of three.)",
          .fix = "no quorum of clocks replaces a fencing token that the resource checks",
          .repairs = {{"redlock-server-clock-jump-repaired",
                       "fencing tokens, checked by the resource", true,
                       "Whatever clock jumps, a stale write is refused."}},
          .sources = {"M. Kleppmann, How to do distributed locking, 2016: bad timing"},
      },
      {
          .name = "redlock-server-clock-jump-repaired",
          .family = Family::replication,
          .summary = "lease-lock under a jump of any clock: no stale write lands",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return lease_lock_under(Fault::clock_jump, 4); },
          .expected = proved,
          .explanation = "One server, whose clock may jump, and a resource that checks: the safety "
                         "is the resource's.",
          .repairs_what = "redlock-server-clock-jump",
      }};
}

}  // namespace interlock::sim::catalogue
