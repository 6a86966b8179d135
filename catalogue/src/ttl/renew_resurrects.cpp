#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// One task renews, unless it is told that the lock was released; the other releases.
Task<void> renewed_and_released(Client& me, flawed::TtlRenewal renewal, bool tells) {
  flawed::TtlOptions options;
  options.renewal = renewal;
  flawed::TtlLock lock(me.store(), me.time(), options);
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  me.enter(foo);
  bool released = false;
  const auto renew = [](LockProtocol* of, Lease what, const bool* over) -> Task<void> {
    if (!*over) static_cast<void>(co_await of->renew(what));
  };
  me.spawn("renewal", renew(&lock, lease, &released));
  co_await me.leave(foo);
  released = tells;
  static_cast<void>(co_await lock.release(lease));
  co_await me.joined();
}

Scenario make(flawed::TtlRenewal renewal, bool tells = false) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return renewed_and_released(me, renewal, tells); })
      .require(free_when_all_are_done());
  return scenario;
}

}  // namespace

Entries renew_resurrects() {
  return {
      {
          .name = "renew-resurrects",
          .family = Family::ttl,
          .summary =
              "a renewal by SET lands after the release, and the lock is back without an owner",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::set); },
          .expected = violated("a lock that everybody is done with is free", 4),
          .explanation = R"(A releases in step 3 (A RELEASE), while the renewal, another task of
the same process, is on its way. It lands in step 4 (A/renewal SET), and writes the key anew: a
lock without an owner, which the renewal may go on to keep alive.)",
          .fix = "renew only what is there and mine: compare and renew in one step",
          .repairs = {{"renew-resurrects-repaired",
                       "a script that renews the key if it holds my token", true,
                       "There is nothing to renew after the release."},
                      {"renew-resurrects-flag",
                       "set a flag before the release, and renew only without it", false,
                       "The flag was looked at before it was set: the renewal is on its way."}},
          .sources = {"derived: keep-alive threads that write"},
      },
      {
          .name = "renew-resurrects-repaired",
          .family = Family::ttl,
          .summary = "a renewal that finds nothing renews nothing",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::compare); },
          .expected = proved,
          .explanation =
              "Renewal and release may come in any order: after the release the key stays away.",
          .repairs_what = "renew-resurrects",
      },
      {
          .name = "renew-resurrects-flag",
          .family = Family::ttl,
          .summary = "a flag stops the next renewal; the one that is on its way lands all the same",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(flawed::TtlRenewal::set, true); },
          .expected = violated("a lock that everybody is done with is free", 4),
          .explanation =
              R"(The renewal looked at the flag before A set it, and its SET is on its way.
A sets the flag and releases in step 3 (A RELEASE); step 4 (A/renewal SET) lands and writes the key
anew. A flag stops what has not been sent.)",
          .repairs_what = "renew-resurrects",
      }};
}

}  // namespace interlock::sim::catalogue
