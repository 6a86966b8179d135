#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
Entries born_expired() {
  return {
      {
          .name = "born-expired",
          .family = Family::setnx,
          .summary = "a pause between the clock and SETNX: the lock has ended when it is granted",
          .protocol = "stamp-lock",
          .make =
              [](const Bounds&) {
                return late_entry_world(stamp_lock_of(flawed::StampOptions()), 5);
              },
          .expected = violated("never enters with a lease that has ended", 5),
          .explanation = R"(A reads its clock, computes the stamp 103, and sends it: step 1 (A
sends SETNX). The answer comes when A's clock shows more than 103. In step 5 (A hears SETNX) A
is told that it has the lock, and enters, although its lease is over and anybody may take it away.
A pause before the request does the same.)",
          .stale = Stale{1, 5},
          .fix = "look at the clock again when the answer is there, and count from before it was "
                 "asked",
          .repairs = {{"born-expired-repaired",
                       "lease-lock: a grant whose lease is over is no grant", true,
                       "The lease is counted from before the request was sent, and looked at when "
                       "the answer comes."},
                      {"born-expired-ttl", "let the server count: SET NX PX", false,
                       "The key is fresh when it is set. The answer may still come too late."}},
          .sources = {"ShedLock#132"},
      },
      {
          .name = "born-expired-repaired",
          .family = Family::setnx,
          .summary = "lease-lock: a grant whose lease is over is no grant",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return late_entry_world(lease_lock_of_core(), 5); },
          .expected = proved,
          .explanation = "LeaseLock reads the local clock before it sends and again when the "
                         "answer comes, and reports a grant only if the lease certainly lives.",
          .repairs_what = "born-expired",
      },
      {
          .name = "born-expired-ttl",
          .family = Family::setnx,
          .summary = "SET NX PX: the key is fresh, the client's answer may be old",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return late_entry_world(ttl_lock_of(), 5); },
          .expected = violated("never enters with a lease that has ended", 5),
          .explanation = R"(The key is fresh when it is set in step 1 (A sends SETNX), and gone
again when the answer is used in step 5 (A hears SETNX). Which clock counts has changed; that
nobody looks has not.)",
          .repairs_what = "born-expired",
      }};
}

}  // namespace interlock::sim::catalogue
