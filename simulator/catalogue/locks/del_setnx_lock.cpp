#include "../all.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const Bounds& bounds) {
  return stamp_lock_scenario(TakeOver::del_setnx, bounds.clients.value_or(2),
                             static_cast<std::int64_t>(bounds.attempts.value_or(1)), 1);
}

}  // namespace

Entries del_setnx_lock() {
  return {{
      .name = "del-setnx-lock",
      .family = Family::locks,
      .summary = "an expired lock is deleted, then taken: two clients can hold it",
      .protocol = "del-setnx-lock",
      .make = make,
      .has_clients = true,
      .has_attempts = true,
      .expected = violated("mutual exclusion of lock.foo", 8),
      .explanation = R"(The key holds the instant at which the lease ends; that of a crashed
client is long past. Both clients read it in step 3 (B GET) and step 4 (A GET), and both conclude
that the lock may be replaced. A replaces it: step 5 (A DEL), step 6 (A SETNX). B still acts on what
it read: step 7 (B DEL) removes a key that is A's by now.)",
      .stale = Stale{3, 7},
      .fix = "make 'see it expired' and 'replace it' one command: GETSET",
      .repairs = {{"stamp-lock", "replace the stamp by GETSET, and look at what was there before",
                   true, "Only one of two clients gets the expired stamp back from GETSET."}},
      .sources = {"Redis manual, SETNX, \"Design pattern: locking with SETNX\": clients C1 and C2"},
  }};
}

}  // namespace interlock::sim::catalogue
