#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// One task renews, the other releases.
Task<void> renewed_and_released(Client& me, flawed::TtlRenewal renewal) {
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
  const auto renew = [](LockProtocol* of, Lease what) -> Task<void> {
    static_cast<void>(co_await of->renew(what));
  };
  me.spawn("renewal", renew(&lock, lease));
  co_await me.leave(foo);
  static_cast<void>(co_await lock.release(lease));
  co_await me.joined();
}

Scenario make(flawed::TtlRenewal renewal) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return renewed_and_released(me, renewal); })
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
                       "There is nothing to renew after the release."}},
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
      }};
}

}  // namespace interlock::sim::catalogue
