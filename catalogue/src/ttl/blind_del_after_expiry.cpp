#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
Entries blind_del_after_expiry() {
  return {
      {
          .name = "blind-del-after-expiry",
          .family = Family::ttl,
          .summary = "a holder that is late releases by DEL, and deletes its successor's lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return releasing_world(flawed::TtlRelease::blind, 2, 4); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation = R"(A holds the lock and is slow. Its lease ends, and B gets the lock in
step 6 (B SETNX). A still believes that the lock is its own, as it was in step 1 (A SETNX), and
step 7 (A DEL) removes B's key.)",
          .stale = Stale{1, 7},
          .fix = "compare the owner token and delete in one step",
          .repairs =
              {{"blind-del-after-expiry-repaired",
                "a script that deletes the key if it holds my token", true,
                "The script compares the owner in the same step in which it deletes the key."},
               {"blind-del-after-expiry-check", "GET first, and DEL only if it is my token", false,
                "Between the two steps the key may change hands."}},
          .sources = {"Redis manual, Distributed Locks: 'this is important in order to avoid "
                      "removing a lock that was created by another client'"},
      },
      {
          .name = "blind-del-after-expiry-repaired",
          .family = Family::ttl,
          .summary = "compare and delete in one step",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return releasing_world(flawed::TtlRelease::compare, 2, 4); },
          .expected = proved,
          .explanation = "The step that deletes is the step that has looked.",
          .repairs_what = "blind-del-after-expiry",
      },
      {
          .name = "blind-del-after-expiry-check",
          .family = Family::ttl,
          .summary = "GET and then DEL: the key changes hands in between",
          .protocol = "ttl-lock",
          .make =
              [](const Bounds&) {
                return releasing_world(flawed::TtlRelease::check_then_del, 2, 4);
              },
          .expected = violated("only the owner releases or renews lock.foo", 8),
          .explanation = R"(A looks in step 3 (A GET): the key is its own. Then time passes, the
lease ends, and B gets the lock in step 7 (B SETNX). What A saw in step 3 (A GET) is not true any
more when it deletes in step 8 (A DEL).)",
          .stale = Stale{3, 8},
          .repairs_what = "blind-del-after-expiry",
      }};
}

}  // namespace interlock::sim::catalogue
