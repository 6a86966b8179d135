#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(bool expires) {
  flawed::TtlOptions options;
  options.expires = expires;
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  add_visitors(scenario, 2, ttl_lock_of(options), visit)
      .faults(FaultBudget().allow(Fault::failover))
      .require(no_orphan(foo));
  return scenario;
}

}  // namespace

Entries failover_loses_release() {
  return {
      {
          .name = "failover-loses-release",
          .family = Family::replication,
          .summary =
              "a replica that has not seen the release is promoted: the lock is back for ever",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("no orphan of lock.foo", 5, 1),
          .explanation = R"(A releases in step 3 (A RELEASE). The replica that takes over in
step 4 (world fault failover) has not seen it, and to it A still holds the lock. The key has no
end, so step 5 (B SETNX) is refused, as everything after it will be.)",
          .fix = "an expiry on every key: what was forgotten then costs a ttl",
          .repairs = {{"failover-loses-release-repaired", "SET key token NX PX ttl", true,
                       "The key that is back is going to end."}},
          .sources = {"derived from asynchronous replication"},
      },
      {
          .name = "failover-loses-release-repaired",
          .family = Family::replication,
          .summary = "the lock that is back after a failover ends by itself",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation =
              "A release that was forgotten keeps others out for the rest of the ttl, no longer.",
          .repairs_what = "failover-loses-release",
      }};
}

}  // namespace interlock::sim::catalogue
