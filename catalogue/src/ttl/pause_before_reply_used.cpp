#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
Entries pause_before_reply_used() {
  return {
      {
          .name = "pause-before-reply-used",
          .family = Family::ttl,
          .summary = "the OK of SET is used when the lease it grants is over",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return late_entry_world(ttl_lock_of(), 4); },
          .expected = violated("never enters with a lease that has ended", 5),
          .explanation = R"(The server carries A's SET out at once: step 1 (A sends SETNX). The
answer lies in a queue while the lease runs. In step 5 (A hears SETNX) A takes it for a lock that
has just begun.)",
          .fix = "count the lease from before the request was sent, and look when the answer comes",
          .repairs = {{"pause-before-reply-used-repaired",
                       "lease-lock: counted from before the request was sent", true,
                       "An answer that took longer than the lease is no grant."}},
          .sources = {"Redis manual, Distributed Locks: validity time"},
      },
      {
          .name = "pause-before-reply-used-repaired",
          .family = Family::ttl,
          .summary = "a lease is counted from before the request was sent",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return late_entry_world(lease_lock_of_core(), 4); },
          .expected = proved,
          .explanation = "However long the answer takes, the client knows the latest instant at "
                         "which it can have been granted.",
          .repairs_what = "pause-before-reply-used",
      }};
}

}  // namespace interlock::sim::catalogue
