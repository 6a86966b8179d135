#include "all.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

// del-setnx-lock and stamp-lock in the size of the manual's story.
Scenario make(TakeOver take_over) {
  return stamp_lock_scenario(take_over, 2, 1, 1);
}

}  // namespace

Entries del_setnx_c0c2() {
  return {{
              .name = "del-setnx-c0c2",
              .family = Family::setnx,
              .summary = "two clients see C0's expired stamp, and both DEL and SETNX: both hold it",
              .protocol = "del-setnx-lock",
              .make = [](const Bounds&) { return make(TakeOver::del_setnx); },
              .expected = violated("mutual exclusion of lock.foo", 8),
              .explanation = R"(The key holds the instant at which the lease ends; that of the
crashed C0 is long past. Both clients read it, in step 3 (B GET) and step 4 (A GET), and both
conclude that the lock may be replaced. A replaces it: step 5 (A DEL), step 6 (A SETNX). B still
acts on what it read: step 7 (B DEL) removes a key that is A's by now, and step 8 (B SETNX) finds
the way free.)",
              .stale = Stale{3, 7},
              .fix = "make 'see it expired' and 'replace it' one command: GETSET",
              .repairs = {{"del-setnx-c0c2-repaired",
                           "replace DEL and SETNX by GETSET, and look at what it gives back", true,
                           "Only one client gets the expired stamp back."},
                          {"del-setnx-c0c2-recheck", "GET once more right before DEL", false,
                           "The second look is as old as the first by the time the DEL arrives: "
                           "two more steps, the same race."}},
              .sources = {"Redis manual, SETNX, clients C0 to C2"},
          },
          {
              .name = "del-setnx-c0c2-repaired",
              .family = Family::setnx,
              .summary = "GETSET: one client alone gets the expired stamp back",
              .protocol = "stamp-lock",
              .make = [](const Bounds&) { return make(TakeOver::getset); },
              .expected = proved,
              .explanation = "GETSET reads and replaces in one step. The first client gets the "
                             "expired stamp back, and the others get one that has not expired.",
              .repairs_what = "del-setnx-c0c2",
          },
          {
              .name = "del-setnx-c0c2-recheck",
              .family = Family::setnx,
              .summary = "a second GET before the DEL: the same race, two steps later",
              .protocol = "del-setnx-lock",
              .make = [](const Bounds&) { return make(TakeOver::recheck_del); },
              .expected = violated("mutual exclusion of lock.foo", 10),
              .explanation = R"(A looks a second time in step 5 (A GET), B in step 6 (B GET), and
both see the old stamp still. B replaces the lock: step 7 (B DEL), step 8 (B SETNX). What A
learned in its second look is not true any more when step 9 (A DEL) comes. However often one
looks: between the last look and the DEL there is room.)",
              .stale = Stale{5, 9},
              .repairs_what = "del-setnx-c0c2",
          }};
}

}  // namespace interlock::sim::catalogue
