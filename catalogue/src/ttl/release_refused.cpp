#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(int retries) {
  flawed::TtlOptions options;
  options.release_retries = retries;
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  add_visitors(scenario, 2, ttl_lock_of(options), visit)
      .faults(FaultBudget().allow(Fault::rejected))
      .require(free_when_all_are_done());
  return scenario;
}

}  // namespace

Entries release_refused() {
  return {
      {
          .name = "release-refused",
          .family = Family::ttl,
          .summary = "the server refuses the release (NOSCRIPT, OOM ...), and the client gives up",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(0); },
          .expected = violated("a lock that everybody is done with is free", 4, 1),
          .explanation = R"(A's release is refused in step 3 (A fault rejected RELEASE): the
server has lost the script, is out of memory, or has become a replica. Nobody looks at the answer.
The lock stays for a whole ttl, and step 4 (B SETNX) finds it taken.)",
          .fix = "look at the answer of a release, and try again",
          .repairs =
              {{"release-refused-repaired", "try the release again", true,
                "One refusal, one more try. What lasts longer than the tries is left to the ttl."}},
          .sources = {"redlock-rb#27", "redlock-rb#148", "node-redlock#11", "redis#8623"},
      },
      {
          .name = "release-refused-repaired",
          .family = Family::ttl,
          .summary = "a refused release is tried again",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(1); },
          .expected = proved,
          .explanation = "With one refusal in the budget, one more try is enough; the ttl is there "
                         "for a server that refuses for longer.",
          .repairs_what = "release-refused",
      }};
}

}  // namespace interlock::sim::catalogue
