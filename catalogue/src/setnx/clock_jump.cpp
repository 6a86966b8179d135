#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const LockOfClient& lock, Fault fault) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world(1, std::chrono::seconds{60});
  add_visitors(scenario, 2, lock, visit)
      .faults(FaultBudget().allow(fault))
      .require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries clock_jump() {
  return {
      {
          .name = "clock-jump",
          .family = Family::setnx,
          .summary = "a clock is set forward while the lock is held, and it is taken over",
          .protocol = "stamp-lock",
          .make =
              [](const Bounds&) {
                return make(stamp_lock_of(flawed::StampOptions()), Fault::clock_jump);
              },
          .expected = violated("mutual exclusion of lock.foo", 5, 1),
          .explanation = R"(A's clock is set forward by a minute: step 1 (A fault clock-jump). B
has the lock from step 2 (B SETNX) on, with the stamp 103. A reads it in step 4 (A GET); to A's
clock it has long ended, and A takes the lock over in step 5 (A GETSET).)",
          .fix = "let the server's clock decide; and where that may jump, fencing tokens",
          .repairs = {{"clock-jump-repaired", "fencing tokens, checked by the resource", true,
                       "Whatever clock jumps, a stale write is refused."},
                      {"clock-jump-server", "let the server's clock end the key: SET NX PX", false,
                       "No client's clock matters any more. The server's may jump as well."}},
          .sources = {"Redis manual, Distributed Locks: 'a clock that jumps'"},
      },
      {
          .name = "clock-jump-repaired",
          .family = Family::setnx,
          .summary = "lease-lock: a jump may end a lease early, and no stale write lands",
          .protocol = "lease-lock",
          .make =
              [](const Bounds&) {
                Scenario scenario = lease_lock_scenario(2, LeaseClientOptions(), 4);
                scenario.faults(FaultBudget().allow(Fault::clock_jump));
                return scenario;
              },
          .expected = proved,
          .explanation =
              "Clients measure by a clock that does not jump. When the server's does, two may "
              "believe that they hold; the resource takes the newer one's writes only.",
          .repairs_what = "clock-jump",
      },
      {
          .name = "clock-jump-server",
          .family = Family::setnx,
          .summary = "the server's clock decides, and it is the one that jumps",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(ttl_lock_of(), Fault::clock_jump); },
          .expected = violated("mutual exclusion of lock.foo", 3, 1),
          .explanation = R"(A gets the lock in step 1 (A SETNX). The server's clock is set
forward in step 2 (world fault clock-jump), and the key ends at once. B finds no key in step 3 (B
SETNX).)",
          .repairs_what = "clock-jump",
      }};
}

}  // namespace interlock::sim::catalogue
