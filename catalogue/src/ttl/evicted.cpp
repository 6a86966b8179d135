#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
Entries evicted() {
  return {
      {
          .name = "evicted",
          .family = Family::ttl,
          .summary = "the server is out of memory and drops the key of a live lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return ttl_lock_under(Fault::eviction); },
          .expected = violated("mutual exclusion of lock.foo", 3, 1),
          .explanation = R"(A gets the lock in step 1 (A SETNX). The server runs out of memory
and drops a key: step 2 (world fault eviction). It was the lock, and B gets it in step 3 (B
SETNX).)",
          .fix = "noeviction on the server that keeps locks; and fencing tokens that survive it",
          .repairs = {{"evicted-repaired", "fencing tokens, checked by the resource", true,
                       "Two clients may believe that they hold the lock; the resource refuses a "
                       "stale write."}},
          .sources = {"RedLock.net#101", "redis#9105"},
      },
      {
          .name = "evicted-repaired",
          .family = Family::ttl,
          .summary = "lease-lock: tokens grow although any key may be dropped",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return lease_lock_under(Fault::eviction, 2); },
          .expected = proved,
          .explanation = "If the lock's key goes, the counter makes the next token greater; if the "
                         "counter goes, the server's clock does.",
          .repairs_what = "evicted",
      }};
}

}  // namespace interlock::sim::catalogue
