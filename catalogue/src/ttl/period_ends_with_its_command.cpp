#include "all.hpp"
#include "interlock/sim/catalogue/period.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(Duration stays) {
  PeriodOptions options;
  options.stays = stays;
  return period_scenario(2, options, 5);
}

}  // namespace

Entries period_ends_with_its_command() {
  return {
      {
          .name = "period-ends-with-its-command",
          .family = Family::ttl,
          .summary =
              "a nightly job takes less time than two machines' clocks differ, and runs twice",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(Duration::zero()); },
          .expected = violated("exclusion within leases of nightly", 3),
          .explanation = R"(A runs its job and releases the lock: step 2 (A RELEASE). B's clock is a
little behind, or its timer is late: B starts the job when A's has ended, and gets the free lock in
step 3 (B CLAIM). The job has run twice in its period.)",
          .fix = "leave the lock held for the rest of the period when the job ends",
          .repairs = {{"period-ends-with-its-command-repaired",
                       "the release leaves the lock held for the rest of the period", true,
                       "A client that comes within the period finds the lock held."}},
          .sources = {"ShedLock, README: what lockAtLeastFor is for"},
      },
      {
          .name = "period-ends-with-its-command-repaired",
          .family = Family::ttl,
          .summary = "a lock that stays held until its period is over",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(PeriodOptions().period); },
          .expected = proved,
          .explanation =
              "The period is counted from the answer that granted the lock, so the store "
              "never ends it too early.",
          .repairs_what = "period-ends-with-its-command",
      }};
}

}  // namespace interlock::sim::catalogue
