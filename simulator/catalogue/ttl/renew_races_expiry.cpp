#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(flawed::TtlRenewal renewal) {
  flawed::TtlOptions options;
  options.renewal = renewal;
  Visit visit;
  visit.draws_token = true;
  visit.renewals = 1;
  Scenario scenario = world(5);
  scenario.clients(2, visitor(ttl_lock_of(options), visit)).require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries renew_races_expiry() {
  return {
      {
          .name = "renew-races-expiry",
          .family = Family::ttl,
          .summary = "a renewal by PEXPIRE comes late, and lengthens the next holder's lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::blind); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation = R"(A's lease ends while A is paused, and B gets the lock in step 5 (B
SETNX). The renewal that A had prepared goes out in step 7 (A PEXPIRE). It asks only for the key,
and lengthens B's lock; A is told that it worked, and goes on.)",
          .fix = "compare the owner token and renew in one step",
          .repairs = {{"renew-races-expiry-repaired",
                       "a script that renews the key if it holds my token", true,
                       "A late renewal finds somebody else's token, and learns that it has lost."}},
          .sources = {"derived from the protocol"},
      },
      {
          .name = "renew-races-expiry-repaired",
          .family = Family::ttl,
          .summary = "compare and renew in one step",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::compare); },
          .expected = proved,
          .explanation = "The step that lengthens is the step that has looked.",
          .repairs_what = "renew-races-expiry",
      }};
}

}  // namespace interlock::sim::catalogue
