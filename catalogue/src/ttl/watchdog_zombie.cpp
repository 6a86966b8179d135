#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Ttl ttl{std::chrono::seconds{2}};

constexpr std::int64_t for_ever = -1;

// The worker dies of an exception at once, but the watchdog goes on renewing the lease every
// second. The property counts from the first instant, so a worker that comes later does nothing.
Task<void> worker_and_watchdog(Client& me, std::int64_t renewals, TimePoint first) {
  if (me.time().now() > first) co_return;
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> px = ttl.duration();
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), owner.text(), px);
  if (!set || !*set) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  for (std::int64_t left = renewals; left != 0; left -= left == for_ever ? 0 : 1) {
    co_await me.loop_head(left);
    static_cast<void>(co_await me.store().renew(Key(foo), owner, ttl));
    co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
}

// Nobody is paused, so the worker is dead from the first instant on.
bool gone_in_time(const Snapshot& now) {
  return now.time <= ttl.duration() || now.find(foo) == nullptr;
}

// So often the watchdog of a dead worker still renews.
Scenario make(std::int64_t renewals) {
  Scenario scenario = world(4);
  const TimePoint first(scenario.first());
  scenario.client([=](Client& me) { return worker_and_watchdog(me, renewals, first); })
      .faults(FaultBudget().pauses(0))
      .require(always("a lock outlives its worker by a ttl at most", gone_in_time,
                      "keep lock.foo for longer than its ttl after its worker has ended"));
  return scenario;
}

}  // namespace

Entries watchdog_zombie() {
  return {
      {
          .name = "watchdog-zombie",
          .family = Family::ttl,
          .summary = "the worker is dead, and its watchdog renews the lock for ever",
          .protocol = "ttl-lock with a watchdog",
          .make = [](const Bounds&) { return make(for_ever); },
          .expected = violated("a lock outlives its worker by a ttl at most", 10),
          .explanation = R"(A's worker is dead at once; the watchdog renews in step 3 (A RENEW),
and each second after that. Two seconds after the worker's end the lock should be gone. It never
will be, as long as the process lives.)",
          .fix = "tie the watchdog to the work: what holds the lease renews it, and ends with it",
          .repairs = {{"watchdog-zombie-repaired", "no renewal without a living worker", true,
                       "The lease ends a ttl after the worker."},
                      {"watchdog-zombie-counted", "renew three times at most", false,
                       "A dead worker is renewed three times all the same; and a living one that "
                       "needs longer loses its lock."}},
          .sources = {"redisson#5115", "redisson#3521", "redisson#1626"},
      },
      {
          .name = "watchdog-zombie-repaired",
          .family = Family::ttl,
          .summary = "a watchdog that ends with its worker",
          .protocol = "ttl-lock with a watchdog",
          .make = [](const Bounds&) { return make(0); },
          .expected = proved,
          .explanation = "Nothing renews any more, and the key ends by itself.",
          .repairs_what = "watchdog-zombie",
      },
      {
          .name = "watchdog-zombie-counted",
          .family = Family::ttl,
          .summary = "a limit on renewals: a dead worker keeps its lock until it is reached",
          .protocol = "ttl-lock with a watchdog",
          .make = [](const Bounds&) { return make(3); },
          .expected = violated("a lock outlives its worker by a ttl at most", 10),
          .explanation =
              R"(A's worker is dead at once. The watchdog still renews in step 3 (A RENEW),
step 6 (A RENEW) and step 9 (A RENEW). By step 10 (world time) the lock has outlived its worker by more
than a ttl, and lasts another one.)",
          .repairs_what = "watchdog-zombie",
      }};
}

}  // namespace interlock::sim::catalogue
