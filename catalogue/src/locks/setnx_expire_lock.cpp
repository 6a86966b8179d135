#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const char* id, const Bounds& bounds) {
  Visit visit;
  visit.draws_token = true;
  visit.attempts = static_cast<std::int64_t>(bounds.attempts.value_or(1));
  Scenario scenario = world();
  add_visitors(scenario, bounds.clients.value_or(2), source_lock(id), visit)
      .faults(FaultBudget().allow(Fault::crash))
      .require(no_orphan(foo));
  return scenario;
}

}  // namespace

Entries setnx_expire_lock() {
  return {
      {
          .name = "setnx-expire-lock",
          .family = Family::locks,
          .summary = "SETNX, then EXPIRE, released by DEL",
          .protocol = "setnx-expire-lock",
          .make = [](const Bounds& bounds) { return make("setnx-expire-lock", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("no orphan of lock.foo", 3, 1),
          .explanation = R"(A has the key in step 1 (A SETNX), and it has no end yet. A crashes
in step 2 (A fault crash), before EXPIRE is sent. B is refused in step 3 (B SETNX), and so will be
everybody after it.)",
          .fix = "SET key token NX PX ttl, and a release that compares the token",
          .repairs = {{"setnx-expire-lock-repaired", "SET key token NX PX ttl, compare and delete",
                       true, "The key is never without an end."}},
          .sources = {"Redis manual, SETNX; an article that asks why EXPIRE should not be used"},
      },
      {
          .name = "setnx-expire-lock-repaired",
          .family = Family::locks,
          .summary = "SET NX PX with an owner token, compared and deleted in one step",
          .protocol = "setnx-expire-lock-repaired",
          .make = [](const Bounds& bounds) { return make("setnx-expire-lock-repaired", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = proved,
          .explanation = "Whenever the client crashes, there is no key or one that ends.",
          .repairs_what = "setnx-expire-lock",
      }};
}

}  // namespace interlock::sim::catalogue
