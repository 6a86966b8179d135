#include "quorum_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(Fault restart) {
  Scenario scenario = quorum_world(QuorumOptions());
  scenario.faults(FaultBudget().allow(restart)).require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries redlock_restart_no_disk() {
  return {
      {
          .name = "redlock-restart-no-disk",
          .family = Family::replication,
          .summary = "one of the servers that have granted restarts empty, and grants again",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return make(Fault::restart_empty); },
          .expected = violated("mutual exclusion of lock.foo", 6, 1),
          .explanation = R"(A has the first server in step 1 (A SETNX). That server restarts
without its data: step 2 (world fault restart-empty). B gets it in step 3 (B SETNX). A gets the
second in step 4 (A server 1 SETNX) and has two of three; B is refused there, gets the third in
step 6 (B server 2 SETNX), and has two of three as well. The first server has voted twice.)",
          .fix = "write every grant to disk before it is answered; or stay away for a ttl "
                 "after a restart",
          .repairs = {{"redlock-restart-no-disk-repaired",
                       "appendfsync always: a server restarts with what it has granted", true,
                       "A server that keeps its data does not grant twice."},
                      {"redlock-restart-everysec",
                       "write to disk every second (appendfsync everysec)", false,
                       "The last second is what a crash loses, and the grant may be in it."}},
          .sources = {"Redis manual, Distributed Locks: crash recovery and fsync"},
      },
      {
          .name = "redlock-restart-no-disk-repaired",
          .family = Family::replication,
          .summary = "servers that restart with what they have granted",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return make(Fault::restart); },
          .expected = proved,
          .explanation = "A restart that keeps the data breaks connections and nothing else.",
          .repairs_what = "redlock-restart-no-disk",
      },
      {
          .name = "redlock-restart-everysec",
          .family = Family::replication,
          .summary = "appendfsync everysec: a crash forgets the grants of the last second",
          .protocol = "quorum-lock",
          .make =
              [](const Bounds&) {
                // To its clients a server that restarts without its last write is a replica
                // that has not seen it.
                return make(Fault::failover);
              },
          .expected = violated("mutual exclusion of lock.foo", 6, 1),
          .explanation = R"(A has the first server in step 1 (A SETNX). It crashes in step 2 (world
fault failover) and comes back without its last write, which was not on disk yet. B gets it in step 3 (B
SETNX); A gets the second server in step 4 (A server 1 SETNX), B the third in step 6 (B server 2 SETNX).
Both have two of three.)",
          .repairs_what = "redlock-restart-no-disk",
      }};
}

}  // namespace interlock::sim::catalogue
