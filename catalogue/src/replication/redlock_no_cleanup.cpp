#include "quorum_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

bool nothing_left(const Snapshot& now) {
  for (const ClientView& client : now.clients) {
    if (client.status != ClientView::Status::done) return true;
  }
  return now.keys.empty();
}

Scenario make(QuorumOptions options) {
  Scenario scenario = quorum_world(options);
  scenario.require(always("what everybody is done with is free", nothing_left,
                          "leave a key behind when every client has ended"));
  return scenario;
}

QuorumOptions no_cleanup() {
  QuorumOptions options;
  options.cleans_up = false;
  return options;
}

Scenario where_granted() {
  QuorumOptions options;
  options.to_all = false;
  Scenario scenario = make(options);
  scenario.faults(FaultBudget().allow(Fault::lost_reply));
  return scenario;
}

}  // namespace

Entries redlock_no_cleanup() {
  return {
      {
          .name = "redlock-no-cleanup",
          .family = Family::replication,
          .summary =
              "a client that missed the majority keeps its minority, and blocks the next one",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return make(no_cleanup()); },
          .expected = violated("what everybody is done with is free", 9),
          .explanation = R"(B is refused by two servers, step 2 (B SETNX) and step 4 (B server 1
SETNX), because A has the majority from step 3 (A server 1 SETNX) on. In step 7 (B server 2 SETNX) B
gets the third, so it has one of three, and goes away without releasing it. A releases the lock on all
servers, the last of them in step 9 (A server 2 RELEASE), and what B has left there stays.)",
          .fix = "release on every server when the majority was missed",
          .repairs = {{"redlock-no-cleanup-repaired",
                       "release on every server if the majority was missed", true,
                       "A client that leaves has put everything back."},
                      {"redlock-no-cleanup-granted", "give back at the servers that have granted",
                       false, "A server whose answer was lost has granted, too."}},
          .sources = {"antirez/redlock-rb#3"},
      },
      {
          .name = "redlock-no-cleanup-repaired",
          .family = Family::replication,
          .summary = "a client that missed the majority gives back what it got",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return make(QuorumOptions()); },
          .expected = proved,
          .explanation =
              "A release by owner token at every server harms nobody and leaves nothing.",
          .repairs_what = "redlock-no-cleanup",
      },
      {
          .name = "redlock-no-cleanup-granted",
          .family = Family::replication,
          .summary = "a release at those that said yes: one whose yes was lost keeps its key",
          .protocol = "quorum-lock",
          .make = [](const Bounds&) { return where_granted(); },
          .expected = violated("what everybody is done with is free", 8, 1),
          .explanation =
              R"(The first server grants in step 1 (A fault lost-reply SETNX), and A never
hears of it. A and B get one more server each, nobody gets two, and both give back what they know of:
step 7 (B server 1 RELEASE), step 8 (A server 2 RELEASE). Nobody releases at the first server.)",
          .repairs_what = "redlock-no-cleanup",
      }};
}

}  // namespace interlock::sim::catalogue
