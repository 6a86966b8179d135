#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// SETNX and EXPIRE, and whatever happens in between, DEL: unless nothing happens any more.
Task<void> with_finally(Client& me) {
  const std::string held = "1";
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), held);
  if (!set || !*set) co_return;
  const Result<bool> ends = co_await me.store().expire(Key(foo), milliseconds{2'000});
  if (ends && *ends) {
    me.enter(foo);
    co_await me.leave(foo);
  }
  static_cast<void>(co_await me.store().erase(Key(foo)));
}

Scenario make_of(const Program& client) {
  Scenario scenario = world();
  scenario.client(client).faults(FaultBudget().allow(Fault::crash)).require(no_orphan(foo));
  return scenario;
}

Scenario make(const LockOfClient& lock) {
  Visit visit;
  visit.draws_token = true;
  return make_of(visitor(lock, visit));
}

Scenario broken(const Bounds&) {
  return make(source_lock("setnx-expire-lock"));
}

Scenario repaired(const Bounds&) {
  return make(ttl_lock_of());
}

}  // namespace

Entries setnx_crash() {
  return {
      {
          .name = "setnx-crash",
          .family = Family::setnx,
          .summary = "SETNX, then EXPIRE: a crash between the two, and the lock is taken for ever",
          .protocol = "setnx-expire-lock",
          .make = broken,
          .expected = violated("no orphan of lock.foo", 2, 1),
          .explanation = R"(The lock is two commands. After step 1 (A SETNX) the key exists and
has no end; EXPIRE, which would give it one, is still to come. A crashes in step 2 (A fault
crash), and nothing will ever remove the key.)",
          .fix = "set the value and its expiry in one command: SET NX PX",
          .repairs = {{"setnx-crash-repaired", "SET key token NX PX ttl", true,
                       "There is no moment in which the key exists without its end."},
                      {"setnx-crash-finally", "delete the key in a finally block", false,
                       "A crash runs no finally block."}},
          .sources = {"redis-py#554", "redis-py#818", "ShedLock#65", "laravel/horizon#1738"},
      },
      {
          .name = "setnx-crash-repaired",
          .family = Family::setnx,
          .summary = "SET NX PX: a client that crashes leaves a key that ends",
          .protocol = "ttl-lock",
          .make = repaired,
          .expected = proved,
          .explanation = "Value and expiry are one step, so every crash leaves either no key or "
                         "one that is going to end.",
          .repairs_what = "setnx-crash",
      },
      {
          .name = "setnx-crash-finally",
          .family = Family::setnx,
          .summary = "a finally block that deletes the key: a process that is killed runs none",
          .protocol = "setnx-expire-lock",
          .make = [](const Bounds&) { return make_of(with_finally); },
          .expected = violated("no orphan of lock.foo", 2, 1),
          .explanation =
              R"(Step 1 (A SETNX) sets the key, and step 2 (A fault crash) is the end of the
process: kill -9, a power cut, the kernel out of memory. What stands in its finally block is not run,
and the key has no end.)",
          .repairs_what = "setnx-crash",
      }};
}

}  // namespace interlock::sim::catalogue
