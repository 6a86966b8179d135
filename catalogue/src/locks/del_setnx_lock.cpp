#include "all.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const Bounds& bounds, TakeOver take_over) {
  return stamp_lock_scenario(take_over, bounds.clients.value_or(2),
                             static_cast<std::int64_t>(bounds.attempts.value_or(1)), 1);
}

}  // namespace

Entries del_setnx_lock() {
  return {
      {
          .name = "del-setnx-lock",
          .family = Family::locks,
          .summary = "an expired lock is deleted, then taken: two clients can hold it",
          .protocol = "del-setnx-lock",
          .make = [](const Bounds& bounds) { return make(bounds, TakeOver::del_setnx); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("mutual exclusion of lock.foo", 8),
          .explanation = R"(The key holds the instant at which the lease ends. 50 was left by a
client that crashed; the clocks show 100, so this lock expired long ago. Both clients read 50 in
step 3 (B GET) and step 4 (A GET), and both conclude that the lock may be replaced. A replaces it:
step 5 (A DEL), step 6 (A SETNX). B still acts on what it read: step 7 (B DEL) removes a key that is
A's by now.)",
          .stale = Stale{3, 7},
          .fix = "make 'see it expired' and 'replace it' one command: GETSET",
          .repairs =
              {{"stamp-lock", "replace the stamp by GETSET, and look at what was there before",
                true, "Only one of two clients gets the expired stamp back from GETSET."},
               {"getset-unchecked-lock", "replace the stamp by GETSET, in one command", false,
                "Two clients can both send it: the second one replaces the stamp of the first and "
                "does not look at what it got back."},
               {"del-setnx-lock-recheck", "GET once more right before DEL", false,
                "The second look is as old as the first by the time the DEL arrives: two more "
                "steps, the same race."}},
          .sources =
              {"Redis manual, SETNX, \"Design pattern: locking with SETNX\": clients C1 and C2"},
      },
      {
          .name = "getset-unchecked-lock",
          .family = Family::locks,
          .summary = "GETSET, whatever was there before: the loser believes that it has won",
          .protocol = "getset-unchecked-lock",
          .make = [](const Bounds& bounds) { return make(bounds, TakeOver::getset_unchecked); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("mutual exclusion of lock.foo", 6),
          .explanation = R"(Both clients read the expired stamp, in step 3 (B GET) and step 4
(A GET), and both send GETSET. A's comes first: step 5 (A GETSET) gives back 50, and A holds. Step 6
(B GETSET) replaces A's stamp and gives back 103, which is in the future: B has lost. But it does
not look, and holds, too.)",
          .stale = Stale{3, 6},
          .fix = "look at what GETSET gives back: held only if that was in the past",
          .repairs = {{"stamp-lock", "held only if GETSET gives back a stamp that is in the past",
                       true, "Only one of two clients gets the expired stamp back from GETSET."}},
          .repairs_what = "del-setnx-lock",
      },
      {
          .name = "del-setnx-lock-recheck",
          .family = Family::locks,
          .summary = "a second GET right before the DEL: the same race, two steps later",
          .protocol = "del-setnx-lock-recheck",
          .make = [](const Bounds& bounds) { return make(bounds, TakeOver::recheck_del); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("mutual exclusion of lock.foo", 10),
          .explanation = R"(Each client looks a second time, in step 5 (A GET) and step 6 (B GET),
and each still sees the expired stamp. B replaces it: step 7 (B DEL), step 8 (B SETNX). A's second
look is as stale by now as its first: step 9 (A DEL) removes B's lock, step 10 (A SETNX) takes it.)",
          .stale = Stale{5, 9},
          .fix = "make 'see it expired' and 'replace it' one command: GETSET",
          .repairs = {{"stamp-lock",
                       "replace the stamp by GETSET, and look at what was there before", true,
                       "Only one of two clients gets the expired stamp back from GETSET."}},
          .repairs_what = "del-setnx-lock",
      }};
}

}  // namespace interlock::sim::catalogue
