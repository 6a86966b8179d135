#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

class OutlivingWatchdog {
 public:
  OutlivingWatchdog(Client& me, Lease lease, flawed::TtlOptions options)
      : me_(me), lock_(me.store(), me.time(), std::move(options)), lease_(std::move(lease)) {}
  Task<void> run() {
    co_await me_.time().sleep_until(me_.time().now() + std::chrono::seconds{1});
    if (!cancelled) static_cast<void>(co_await lock_.renew(lease_));
  }
  bool cancelled = false;

 private:
  Client& me_;
  flawed::TtlLock lock_;
  Lease lease_;
};

// `in_order`: the watchdog is scheduled before it can be cancelled. Else the cancellation comes
// first, finds nothing, and is forgotten.
Task<void> watched(Client& me, bool in_order) {
  flawed::TtlOptions options;
  options.renewal = in_order ? flawed::TtlRenewal::compare : flawed::TtlRenewal::blind;
  flawed::TtlLock lock(me.store(), me.time(), options);
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  OutlivingWatchdog watchdog(me, lease, options);
  me.enter(foo, lease.fencing(), lease.certain_until());
  me.spawn("watchdog", watchdog.run());
  co_await me.leave(foo);
  watchdog.cancelled = in_order;
  static_cast<void>(co_await lock.release(lease));
  co_await me.joined();
}

Scenario make(bool in_order) {
  Scenario scenario = world(3);
  scenario.clients(2, [=](Client& me) { return watched(me, in_order); })
      .require(owner_only(foo))
      .offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries watchdog_outlives_unlock() {
  return {
      {
          .name = "watchdog-outlives-unlock",
          .family = Family::ttl,
          .summary =
              "a watchdog that was cancelled too early goes on, and renews somebody else's lock",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation = R"(A's work is short. When it releases in step 3 (A RELEASE), the
watchdog is not yet scheduled, and cancelling what is not there does nothing. B gets the lock in
step 4 (B SETNX). The watchdog wakes in step 6 (A/watchdog wakes), and step 7 (A/watchdog PEXPIRE)
renews B's lock, for as long as A's process lives.)",
          .fix = "tie the watchdog to one lease: schedule before release, and renew by owner token",
          .repairs = {{"watchdog-outlives-unlock-repaired",
                       "cancel what was scheduled, and compare before renewing", true,
                       "A renewal on its way finds somebody else's token."}},
          .sources = {"redisson#7272"},
      },
      {
          .name = "watchdog-outlives-unlock-repaired",
          .family = Family::ttl,
          .summary = "a watchdog of one lease, which compares before it renews",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "It is cancelled after it was scheduled, and what is already on its way "
                         "cannot harm others.",
          .repairs_what = "watchdog-outlives-unlock",
      }};
}

}  // namespace interlock::sim::catalogue
