#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const char* id, const Bounds& bounds) {
  Visit visit;
  visit.draws_token = true;
  visit.releases = 2;
  visit.attempts = static_cast<std::int64_t>(bounds.attempts.value_or(1));
  Scenario scenario = world();
  add_visitors(scenario, bounds.clients.value_or(2), source_lock(id), visit)
      .faults(FaultBudget().allow(Fault::lost_reply))
      .require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries compare_script_lock() {
  return {
      {
          .name = "compare-script-lock",
          .family = Family::locks,
          .summary =
              "two scripts compare stamps: clients of the same millisecond write the same one",
          .protocol = "compare-script-lock",
          .make = [](const Bounds& bounds) { return make("compare-script-lock", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("only the owner releases or renews lock.foo", 5, 1),
          .explanation = R"(A releases, and the answer is lost: step 3 (A fault lost-reply RUN
compare-script-unlock). B gets the free lock in step 4 (B RUN compare-script-lock) in the same
millisecond, with the same ttl, so the value is the same. A tries its release again: step 5 (A RUN
compare-script-unlock) compares, finds its own value, and deletes B's lock.)",
          .stale = Stale{3, 5},
          .fix = "an owner token in the value, and the server's clock for its end",
          .repairs = {{"compare-script-lock-repaired",
                       "put the owner behind a stamp that the server's clock makes", true,
                       "No two clients ever write the same value."}},
          .sources =
              {"an article that compares the fine points of five locks, and ends with this one"},
      },
      {
          .name = "compare-script-lock-repaired",
          .family = Family::locks,
          .summary = "the same with an owner token and the server's clock",
          .protocol = "compare-script-lock-repaired",
          .make = [](const Bounds& bounds) { return make("compare-script-lock-repaired", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = proved,
          .explanation = "An unlock that is sent twice deletes its own lock or none.",
          .repairs_what = "compare-script-lock",
      }};
}

}  // namespace interlock::sim::catalogue
