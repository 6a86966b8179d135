#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// Deletes only in time, by its own clock, counted from before the lock was asked for.
Task<void> deletes_in_time(Client& me) {
  flawed::TtlLock lock(me.store(), me.time(), flawed::TtlOptions());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  me.enter(foo, lease.fencing(), lease.certain_until());
  co_await me.leave(foo);
  const bool runs = me.time().now() < lease.sent() + ttl.duration();
  if (runs) static_cast<void>(co_await me.store().erase(Key(foo)));
}

Scenario by_own_clock() {
  Scenario scenario = world(4);
  scenario.clients(2, deletes_in_time).require(owner_only(foo)).offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries check_then_del() {
  return {
      {
          .name = "check-then-del",
          .family = Family::ttl,
          .summary =
              "GET says 'mine', the lease ends, another takes it, and DEL removes the other's",
          .protocol = "ttl-lock",
          .make =
              [](const Bounds&) {
                return releasing_world(flawed::TtlRelease::check_then_del, 3, 4);
              },
          .expected = violated("only the owner releases or renews lock.foo", 8),
          .explanation = R"(A looks in step 3 (A GET): the key is its own. It is paused; its
lease ends, and B gets the lock in step 7 (B SETNX). A goes on where it was: step 8 (A DEL)
removes B's key. Now the third client can take the lock while B is inside.)",
          .stale = Stale{3, 8},
          .fix = "compare the owner token and delete in one step",
          .repairs = {{"check-then-del-repaired",
                       "a script that deletes the key if it holds my token", true,
                       "There is no moment between looking and deleting."},
                      {"check-then-del-clock",
                       "DEL only if my own clock says that the lease still runs", false,
                       "The clock is right when it is looked at. The DEL arrives later."}},
          .sources = {"medusajs/medusa#16285"},
      },
      {
          .name = "check-then-del-repaired",
          .family = Family::ttl,
          .summary = "compare and delete in one step, with three clients",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return releasing_world(flawed::TtlRelease::compare, 3, 4); },
          .expected = proved,
          .explanation = "The step that deletes is the step that has looked.",
          .repairs_what = "check-then-del",
      },
      {
          .name = "check-then-del-clock",
          .family = Family::ttl,
          .summary =
              "a look at the own clock instead of the key: it is as old when the DEL arrives",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return by_own_clock(); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation =
              R"(A's lease runs when A looks at its clock, at the end of step 2 (A leave), and
the DEL is on its way. It arrives when the lease has ended and B has the lock: B gets it in step 6 (B
SETNX), and step 7 (A DEL) removes B's key.)",
          .stale = Stale{2, 7},
          .repairs_what = "check-then-del",
      }};
}

}  // namespace interlock::sim::catalogue
