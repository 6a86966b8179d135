#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// Long replicated when the primary dies: nothing is forgotten, and the clock is a minute ahead.
Scenario& fails_over_to_a_clock_ahead(Scenario& scenario) {
  Replica replica;
  replica.missed_writes = 0;
  replica.instants_ahead = 1;
  return scenario.faults(FaultBudget().allow(Fault::failover)).replica(replica);
}

Scenario broken(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world(1, std::chrono::seconds{60});
  add_visitors(scenario, 2, ttl_lock_of(), visit).require(mutual_exclusion(foo));
  return fails_over_to_a_clock_ahead(scenario);
}

Scenario repaired(const Bounds&) {
  Scenario scenario = lease_lock_under(Fault::failover, 4);
  return fails_over_to_a_clock_ahead(scenario);
}

// Enters only after it has renewed what it took.
Task<void> renews_first(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<bool> set =
      co_await me.store().set_if_absent(Key(foo), owner.text(), ttl.duration());
  if (!set || !*set) co_return;
  const Result<OwnerCheck> renewed = co_await me.store().renew(Key(foo), owner, ttl);
  if (!renewed || *renewed != OwnerCheck::done) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario renewing(const Bounds&) {
  Scenario scenario = world(1, std::chrono::seconds{60});
  scenario.clients(2, renews_first).require(mutual_exclusion(foo));
  return fails_over_to_a_clock_ahead(scenario);
}

}  // namespace

Entries failover_skewed_clock() {
  return {
      {
          .name = "failover-skewed-clock",
          .family = Family::replication,
          .summary = "nothing is lost at a failover, and keys end early: another clock decides",
          .protocol = "ttl-lock",
          .make = broken,
          .expected = violated("mutual exclusion of lock.foo", 3, 1),
          .explanation = R"(A has the lock from step 1 (A SETNX) on, and the replica knows it; A
may even have waited for that (WAIT). But a primary tells its replica at which instant the key ends,
and each primary judges that by its own clock. In step 2 (world fault failover) a replica takes
over whose clock is a minute ahead, and the key ends at once. B finds no key in step 3 (B SETNX).)",
          .fix = "fencing tokens that the resource checks: no clock needs to be right for them",
          .repairs = {{"failover-skewed-clock-repaired", "fencing tokens, checked by the resource",
                       true, "A key may end early; the stale write is refused all the same."},
                      {"failover-skewed-clock-renew", "renew once more before entering", false,
                       "The new ttl begins by the clock of a primary that is about to die."}},
          .sources = {"redis#8474: replicas are told when keys end as absolute timestamps"},
      },
      {
          .name = "failover-skewed-clock-repaired",
          .family = Family::replication,
          .summary = "lease-lock: a lease may end early at a failover; no stale write lands",
          .protocol = "lease-lock",
          .make = repaired,
          .expected = proved,
          .explanation =
              "The counter of fencing tokens came over with the keys: they grow whatever the new "
              "clock "
              "shows. With a replica that has missed the counter as well they may not: see "
              "failover-clock-behind.",
          .repairs_what = "failover-skewed-clock",
      },
      {
          .name = "failover-skewed-clock-renew",
          .family = Family::replication,
          .summary = "a whole ttl was left on entering, by the clock that is going away",
          .protocol = "ttl-lock",
          .make = renewing,
          .expected = violated("mutual exclusion of lock.foo", 5, 1),
          .explanation =
              R"(A renews in step 2 (A RENEW), and has a whole ttl left when it enters. It
was counted by the clock of the primary, and from step 3 (world fault failover) on another one decides,
to which the key has ended. B gets the lock in step 4 (B SETNX), renews, and enters, too.)",
          .repairs_what = "failover-skewed-clock",
      }};
}

}  // namespace interlock::sim::catalogue
