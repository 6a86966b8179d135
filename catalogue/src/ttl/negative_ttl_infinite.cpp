#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// Asked for a time limit that is left over from somewhere else: -1 s or 2 s.
Task<void> with_a_timeout(Client& me, bool refuses) {
  const std::int64_t seconds = me.choose(2) == 0 ? 2 : -1;
  if (seconds <= 0 && refuses) co_return;
  std::optional<milliseconds> ttl;
  if (seconds > 0) ttl = std::chrono::seconds{seconds};
  const OwnerToken owner = me.tokens().fresh();
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), owner.text(), ttl);
  if (!set || !*set) co_return;
  me.enter(foo);
  me.reach("the lock is held");
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario make(bool refuses) {
  Scenario scenario = world();
  scenario.clients(2, [=](Client& me) { return with_a_timeout(me, refuses); })
      .faults(FaultBudget().allow(Fault::crash))
      .sometimes("the lock is held")
      .require(no_orphan(foo));
  return scenario;
}

}  // namespace

Entries negative_ttl_infinite() {
  return {
      {
          .name = "negative-ttl-infinite",
          .family = Family::ttl,
          .summary = "a time limit below zero is left out, and the key never ends",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("no orphan of lock.foo", 3, 1),
          .explanation = R"(A's time limit was computed to be -1 s. The client library leaves
out a limit that makes no sense, so step 1 (A begin 1 SETNX) writes a key without an end. A crashes
in step 2 (A fault crash), and step 3 (B SETNX) finds the lock taken, as everybody will.)",
          .fix = "refuse it: a ttl is positive or an error",
          .repairs = {{"negative-ttl-infinite-repaired", "refuse a ttl that is not positive", true,
                       "No key is written without an end."}},
          .sources = {"python-redis-lock#73"},
      },
      {
          .name = "negative-ttl-infinite-repaired",
          .family = Family::ttl,
          .summary = "a ttl that is not positive is refused",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "Every key that is written has an end, so a crash costs a ttl at most.",
          .repairs_what = "negative-ttl-infinite",
      }};
}

}  // namespace interlock::sim::catalogue
