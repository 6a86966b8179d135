#include "all.hpp"
#include "clients.hpp"
#include "interlock/sim/catalogue/quarantine.hpp"

namespace interlock::sim::catalogue {
namespace {

// Enters only after it has seen its own key.
Task<void> look_again(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> ttl = milliseconds{2'000};
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), owner.text(), ttl);
  if (!set || !*set) co_return;
  const Result<std::optional<std::string>> holder = co_await me.store().get(Key(foo));
  if (!holder || *holder != owner.text()) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario rereads() {
  Scenario scenario = world();
  scenario.clients(2, look_again)
      .faults(FaultBudget().allow(Fault::failover))
      .require(mutual_exclusion(foo));
  return scenario;
}

Scenario waits_after_failover() {
  const Ttl ttl{std::chrono::seconds{1}};
  Scenario scenario = quarantine_scenario(2, quarantined_client_options(WithQueue::no, ttl), 4);
  return scenario.faults(FaultBudget().allow(Fault::failover).let_requests_survive());
}

}  // namespace

Entries failover_loses_write() {
  return {
      {
          .name = "failover-loses-write",
          .family = Family::replication,
          .summary = "a replica that has not seen the grant is promoted, and grants again",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return ttl_lock_under(Fault::failover); },
          .expected = violated("mutual exclusion of lock.foo", 3, 1),
          .explanation = R"(A gets the lock in step 1 (A SETNX), from a primary that answers
before its replica knows. The primary dies, and the replica, which has not seen the grant, takes
over: step 2 (world fault failover). To it the lock is free, and B gets it in step 3 (B SETNX).)",
          .fix = "fencing tokens that grow although the last grant was forgotten; or a consensus "
                 "store",
          .repairs = {{"failover-loses-write-repaired",
                       "fencing tokens from the server's clock, checked by the resource", true,
                       "Two clients may believe that they hold the lock; the resource refuses a "
                       "stale write."},
                      {"failover-loses-write-quarantine",
                       "grant nothing for one longest ttl after a failover", true,
                       "By then the lease that the replica has never heard of is over."},
                      {"failover-loses-write-reread", "GET once more, to see that the key is there",
                       false, "It is there, at the primary that is about to die."}},
          .sources =
              {"Redis manual, Distributed Locks: why failover-based implementations are not enough",
               "infrahub#9450"},
      },
      {
          .name = "failover-loses-write-repaired",
          .family = Family::replication,
          .summary = "lease-lock: tokens grow across a failover, if clocks agree",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return lease_lock_under(Fault::failover, 3); },
          .expected = proved,
          .explanation = "The counter of the promoted replica may be behind; the token is then "
                         "taken from the server's clock, which is not.",
          .repairs_what = "failover-loses-write",
      },
      {
          .name = "failover-loses-write-quarantine",
          .family = Family::replication,
          .summary = "lease-lock with after-failover=wait: no two within their leases",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return waits_after_failover(); },
          .expected = proved,
          .explanation = R"(The promoted server has another replication id than the one that is
noted in the store. The script that claims sees that, and grants nothing to a new owner for one
longest ttl. Renewals and releases go on.)",
          .repairs_what = "failover-loses-write",
      },
      {
          .name = "failover-loses-write-reread",
          .family = Family::replication,
          .summary = "GET the key back before entering: it is there, and forgotten a moment later",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return rereads(); },
          .expected = violated("mutual exclusion of lock.foo", 5, 1),
          .explanation = R"(A sees its own key in step 2 (A GET), and enters. What it has seen is
the primary, which dies in step 3 (world fault failover) before its replica knows. B gets the lock in
step 4 (B SETNX), sees its own key in step 5 (B GET), and enters, too.)",
          .repairs_what = "failover-loses-write",
      }};
}

}  // namespace interlock::sim::catalogue
