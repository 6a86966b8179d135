#include "quorum_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(bool checks) {
  QuorumOptions options;
  options.checks_validity = checks;
  Scenario scenario = quorum_world(options, 4);
  scenario.require(never(late_entry, late_entry_goal));
  return scenario;
}

}  // namespace

Entries redlock_slow_acquire() {
  return {
      {
          .name = "redlock-slow-acquire",
          .family = Family::replication,
          .summary = "asking all servers took longer than the ttl, and the client did not check",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("never enters with a lease that has ended", 5),
          .explanation = R"(A has the first server in step 1 (A SETNX). The answer of the second
comes when the key at the first has ended: step 5 (A server 1 SETNX). A counts two grants and
enters; it has one.)",
          .stale = Stale{1, 5},
          .fix =
              "take the time that the acquire took off the ttl, and look whether anything is left",
          .repairs = {{"redlock-slow-acquire-repaired",
                       "no lock if the acquire took longer than the ttl", true,
                       "What is left is counted from before the first request."}},
          .sources = {"Redis manual, Distributed Locks: validity time",
                      "redsync and others check it"},
      },
      {
          .name = "redlock-slow-acquire-repaired",
          .family = Family::replication,
          .summary = "a grant that took longer than the ttl is none",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "The clock is looked at when the last answer is there.",
          .repairs_what = "redlock-slow-acquire",
      }};
}

}  // namespace interlock::sim::catalogue
