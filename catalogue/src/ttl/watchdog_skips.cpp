#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario broken(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  visit.renewals = 1;
  Scenario scenario = world(4);
  add_visitors(scenario, 2, ttl_lock_of(), visit).require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  LeaseClientOptions options;
  options.renews = true;
  return lease_lock_scenario(2, options, 5);
}

}  // namespace

Entries watchdog_skips() {
  return {{
              .name = "watchdog-skips",
              .family = Family::ttl,
              .summary = "a renewal comes later than the ttl, and its answer changes nothing",
              .protocol = "ttl-lock",
              .make = broken,
              .expected = violated("mutual exclusion of lock.foo", 5),
              .explanation = R"(A gets the lock in step 1 (A SETNX) and is to renew it in time. The
renewal does not come in time: the thread pool is busy, the machine swaps. B gets the lock in step
5 (B SETNX), and A still works. The renewal will find nothing to renew, and nobody looks at its
answer.)",
              .fix = "end the section by the holder's own clock, and let the resource check "
                     "fencing tokens",
              .repairs =
                  {{"watchdog-skips-repaired",
                    "lease-lock: a second task watches the clock; tokens are checked", true,
                    "The holder stops by its own clock; if it was frozen, its token is refused."}},
              .sources = {"redisson#5698"},
          },
          {
              .name = "watchdog-skips-repaired",
              .family = Family::ttl,
              .summary = "lease-lock, renewed: the local clock tells the holder of the end",
              .protocol = "lease-lock",
              .make = repaired,
              .expected = proved,
              .explanation = "Renewal and watch are two tasks, so that a store that is silent "
                             "cannot keep the holder from being told.",
              .repairs_what = "watchdog-skips",
              .slow = true,
          }};
}

}  // namespace interlock::sim::catalogue
