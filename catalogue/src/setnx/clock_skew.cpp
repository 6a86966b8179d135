#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const LockOfClient& lock) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  scenario.client(visitor(lock, visit))
      .client(visitor(lock, visit, std::chrono::seconds{60}))
      .bounded_by("B's clock 60 s ahead")
      .require(mutual_exclusion(foo))
      .offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries clock_skew() {
  return {{
              .name = "clock-skew",
              .family = Family::setnx,
              .summary = "a client whose clock is ahead takes over a lock that lives",
              .protocol = "stamp-lock",
              .make = [](const Bounds&) { return make(stamp_lock_of(flawed::StampOptions())); },
              .expected = violated("mutual exclusion of lock.foo", 4),
              .explanation = R"(B's clock is a minute ahead. A gets the lock in step 1 (A SETNX)
with the stamp 103. B reads it in step 3 (B GET); its own clock shows 160, so it takes the lock
for expired, and takes it over in step 4 (B GETSET).)",
              .fix = "let one clock decide, the server's: SET NX PX",
              .repairs = {{"clock-skew-repaired", "let the server's clock end the key", true,
                           "No client's clock is compared with another's any more."},
                          {"clock-skew-scripts", "take over and release by scripts that compare",
                           false, "The scripts compare what the clients' clocks say."}},
              .sources = {"ShedLock#231", "ShedLock#639"},
          },
          {
              .name = "clock-skew-repaired",
              .family = Family::setnx,
              .summary = "the server's clock decides: what a client's clock says does not matter",
              .protocol = "ttl-lock",
              .make = [](const Bounds&) { return make(ttl_lock_of()); },
              .expected = proved,
              .explanation =
                  "The key ends by the server's clock. Within these bounds no lease ends; that a "
                  "holder may outlive its lease is another story: pause-after-acquire.",
              .repairs_what = "clock-skew",
          },
          {
              .name = "clock-skew-scripts",
              .family = Family::setnx,
              .summary = "scripts that compare still compare what clients' clocks say",
              .protocol = "stamp-lock-repaired",
              .make = [](const Bounds&) { return make(stamp_lock_of(repaired_stamps())); },
              .expected = violated("mutual exclusion of lock.foo", 2),
              .explanation = R"(A takes the lock in step 1 (A RUN stamp-take-over). B's script in
step 2 (B RUN stamp-take-over) compares A's 103 with the 160 of B's clock. That the comparison is
atomic does not make the clock right.)",
              .repairs_what = "clock-skew",
          }};
}

}  // namespace interlock::sim::catalogue
