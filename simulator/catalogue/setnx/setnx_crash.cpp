#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const LockOfClient& lock) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  scenario.client(visitor(lock, visit))
      .faults(FaultBudget().allow(Fault::crash))
      .require(no_orphan(foo));
  return scenario;
}

Scenario broken(const Bounds&) {
  return make(source_lock("setnx-expire-lock"));
}

Scenario repaired(const Bounds&) {
  return make(ttl_lock_of());
}

}  // namespace

Entries setnx_crash() {
  return {
      {
          .name = "setnx-crash",
          .family = Family::setnx,
          .summary = "SETNX, then EXPIRE: a crash between the two, and the lock is taken for ever",
          .protocol = "setnx-expire-lock",
          .make = broken,
          .expected = violated("no orphan of lock.foo", 2, 1),
          .explanation = R"(The lock is two commands. After step 1 (A SETNX) the key exists and
has no end; EXPIRE, which would give it one, is still to come. A crashes in step 2 (A fault
crash), and nothing will ever remove the key.)",
          .fix = "set the value and its expiry in one command: SET NX PX",
          .repairs = {{"setnx-crash-repaired", "SET key token NX PX ttl", true,
                       "There is no moment in which the key exists without its end."}},
          .sources = {"redis-py#554", "redis-py#818", "ShedLock#65", "laravel/horizon#1738"},
      },
      {
          .name = "setnx-crash-repaired",
          .family = Family::setnx,
          .summary = "SET NX PX: whoever crashes leaves a key that ends",
          .protocol = "ttl-lock",
          .make = repaired,
          .expected = proved,
          .explanation = "Value and expiry are one step, so every crash leaves either no key or "
                         "one that is going to end.",
          .repairs_what = "setnx-crash",
      }};
}

}  // namespace interlock::sim::catalogue
