
#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key counter("fence");

// A lock with a counter beside it: INCR gives the fencing token, or the client's clock does.
Task<void> counted(Client& me, bool by_clock) {
  flawed::TtlLock lock(me.store(), me.time(), flawed::TtlOptions());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  Result<std::int64_t> drawn = me.wall_clock().now().time_since_epoch() / milliseconds{1};
  if (!by_clock) drawn = co_await me.store().increment(counter);
  if (!drawn) co_return;
  const FencingToken token(static_cast<std::uint64_t>(*drawn));
  me.enter(foo, token, lease.certain_until());
  static_cast<void>(co_await me.write(database, token));
  co_await me.leave(foo);
  static_cast<void>(co_await lock.release(lease));
}

Scenario make(bool by_clock) {
  Scenario scenario = world();
  scenario.clients(2, [=](Client& me) { return counted(me, by_clock); })
      .resource_checks_fencing(database)
      .faults(FaultBudget().allow(Fault::restart_empty))
      .require(fenced_writes(database))
      .offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries fence_counter_lost() {
  return {
      {
          .name = "fence-counter-lost",
          .family = Family::replication,
          .summary =
              "the counter of fencing tokens is lost with the server's data, and counts anew",
          .protocol = "ttl-lock with INCR",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("no stale write to database after a newer one", 7, 1),
          .explanation = R"(A is given token 1 by the counter in step 2 (A INCR). The server
restarts without its data in step 3 (world fault restart-empty). B gets the free lock, and token 1
in step 5 (B INCR). The resource checks tokens, as it should, and cannot tell the two apart: step
6 (A write), step 7 (B write).)",
          .fix = "take the greater of counter + 1 and the server's clock in microseconds",
          .repairs = {{"fence-counter-lost-repaired",
                       "tokens that are never smaller than the server's clock", true,
                       "A counter that begins anew begins above every token that was granted."},
                      {"fence-counter-lost-clock", "the client's clock in milliseconds as token",
                       false,
                       "Clocks of clients need not agree, and two grants in a millisecond have "
                       "one token."}},
          .sources = {"derived; M. Kleppmann, 2016: who generates fencing tokens?"},
      },
      {
          .name = "fence-counter-lost-repaired",
          .family = Family::replication,
          .summary = "lease-lock: tokens grow although the data was lost",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return lease_lock_under(Fault::restart_empty, 3); },
          .expected = proved,
          .explanation =
              "The token is at least the server's clock in microseconds. It takes both to "
              "defeat it: lost data, and a clock that was set back behind the last grant.",
          .repairs_what = "fence-counter-lost",
      },
      {
          .name = "fence-counter-lost-clock",
          .family = Family::replication,
          .summary = "the client's clock as token: two grants may show the same time",
          .protocol = "ttl-lock with a clock",
          .make = [](const Bounds&) { return make(true); },
          .expected = violated("no stale write to database after a newer one", 6),
          .explanation = R"(A writes with the time as its token in step 2 (A write), releases, and B
gets the lock in step 5 (B SETNX) within the same millisecond. Its token in step 6 (B write) is A's: the
resource cannot tell which of the two is the newer one. No fault is needed.)",
          .repairs_what = "fence-counter-lost",
      }};
}

}  // namespace interlock::sim::catalogue
