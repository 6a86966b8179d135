#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// GET, and PEXPIRE if the key is mine: two steps.
Task<void> look_and_renew(Client& me) {
  flawed::TtlLock lock(me.store(), me.time(), flawed::TtlOptions());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  me.enter(foo, lease.fencing(), lease.certain_until());
  const Result<std::optional<std::string>> holder = co_await me.store().get(Key(foo));
  if (holder && *holder == owner.text()) {
    static_cast<void>(co_await me.store().expire(Key(foo), ttl.duration()));
  }
  co_await me.leave(foo);
  static_cast<void>(co_await lock.release(lease));
}

Scenario looks_first() {
  Scenario scenario = world(5);
  scenario.clients(2, look_and_renew).require(owner_only(foo)).offer(lease_exclusion(foo));
  return scenario;
}

Scenario make(flawed::TtlRenewal renewal) {
  flawed::TtlOptions options;
  options.renewal = renewal;
  Visit visit;
  visit.draws_token = true;
  visit.renewals = 1;
  Scenario scenario = world(5);
  add_visitors(scenario, 2, ttl_lock_of(options), visit).require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries renew_races_expiry() {
  return {
      {
          .name = "renew-races-expiry",
          .family = Family::ttl,
          .summary = "a renewal by PEXPIRE comes late, and lengthens the next holder's lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::blind); },
          .expected = violated("only the owner releases or renews lock.foo", 6),
          .explanation = R"(A's lease ends while A is paused, and B gets the lock in step 5 (B
SETNX). The renewal that A had prepared goes out in step 6 (A PEXPIRE). It asks only for the key,
and lengthens B's lock; A is told that it worked, and goes on.)",
          .fix = "compare the owner token and renew in one step",
          .repairs = {{"renew-races-expiry-repaired",
                       "a script that renews the key if it holds my token", true,
                       "A late renewal finds somebody else's token, and learns that it has lost."},
                      {"renew-races-expiry-check", "GET first, and PEXPIRE only if it is my token",
                       false,
                       "Between the two steps the lease may end, and the key be another's."}},
          .sources = {"derived from the protocol"},
      },
      {
          .name = "renew-races-expiry-repaired",
          .family = Family::ttl,
          .summary = "compare and renew in one step",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::compare); },
          .expected = proved,
          .explanation = "The step that lengthens is the step that has looked.",
          .repairs_what = "renew-races-expiry",
      },
      {
          .name = "renew-races-expiry-check",
          .family = Family::ttl,
          .summary = "GET says mine, the lease ends, and PEXPIRE lengthens the next holder's lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return looks_first(); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation =
              R"(A looks in step 2 (A GET): the key is its own. Its lease ends, and B gets
the lock in step 6 (B SETNX). What A saw is not true any more when it renews in step 7 (A PEXPIRE): the
lock that now lasts longer is B's.)",
          .stale = Stale{2, 7},
          .repairs_what = "renew-races-expiry",
      }};
}

}  // namespace interlock::sim::catalogue
