#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(flawed::TtlRelease release, std::size_t instants = 1) {
  Scenario scenario = releasing_world(release, 2, instants, 2);
  scenario.faults(FaultBudget().allow(Fault::lost_reply));
  return scenario;
}

}  // namespace

Entries lost_reply_retry_del() {
  return {
      {
          .name = "lost-reply-retry-del",
          .family = Family::ttl,
          .summary = "DEL works, its answer is lost, and the retry deletes the next holder's lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRelease::blind); },
          .expected = violated("only the owner releases or renews lock.foo", 5, 1),
          .explanation = R"(A releases by DEL, and the answer is lost: step 3 (A fault
lost-reply DEL). The lock is free, and B gets it in step 4 (B SETNX). A, told nothing, deletes
again: step 5 (A DEL) removes B's key.)",
          .stale = Stale{3, 5},
          .fix = "compare and delete: it can be repeated without harm",
          .repairs = {{"lost-reply-retry-del-repaired", "compare the token and delete in one step",
                       true, "The second one finds somebody else's token and leaves it."},
                      {"lost-reply-retry-del-check", "GET first, and DEL only if it is my token",
                       false,
                       "Between GET and DEL the lease may end, and the key may change hands."}},
          .sources = {"derived from the protocol; hiredis reconnects and repeats"},
      },
      {
          .name = "lost-reply-retry-del-repaired",
          .family = Family::ttl,
          .summary = "a release that can be repeated without harm",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRelease::compare); },
          .expected = proved,
          .explanation = "However often it is sent: it deletes this client's key or nothing.",
          .repairs_what = "lost-reply-retry-del",
      },
      {
          .name = "lost-reply-retry-del-check",
          .family = Family::ttl,
          .summary = "GET, then DEL: the repeated DEL of a lost answer, and a lease that ends",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRelease::check_then_del, 4); },
          .expected = violated("only the owner releases or renews lock.foo", 8),
          .explanation = R"(The look does not need a lost answer to be too old: A sees its own
key in step 3 (A GET), its lease ends, B gets the lock in step 7 (B SETNX), and step 8 (A DEL)
removes it.)",
          .stale = Stale{3, 8},
          .repairs_what = "lost-reply-retry-del",
      }};
}

}  // namespace interlock::sim::catalogue
