#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* alarmed = "is told that it was not the holder, when it has released";

Task<void> release_until_answered(Client& me, LockOfClient of) {
  const std::unique_ptr<LockProtocol> lock = of.make(me, me.wall_clock());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock->try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  me.enter(foo);
  co_await me.leave(foo);
  for (int tries = 2; tries > 0; --tries) {
    const Result<ReleaseOutcome> released = co_await lock->release(lease);
    // Nobody else is there, and no time has passed.
    me.reach(alarmed, released && *released == ReleaseOutcome::not_holder);
    if (released) co_return;
  }
}

Scenario make(const LockOfClient& lock) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return release_until_answered(me, lock); })
      .faults(FaultBudget().allow(Fault::lost_reply))
      .require(never(alarmed,
                     "let a client that has released the lock hear that it was not the holder"));
  return scenario;
}

}  // namespace

Entries lost_reply_false_alarm() {
  return {
      {
          .name = "lost-reply-false-alarm",
          .family = Family::ttl,
          .summary = "a release works, its answer is lost, and the retry reports 'not the holder'",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(ttl_lock_of()); },
          .expected =
              violated("never is told that it was not the holder, when it has released", 4, 1),
          .explanation = R"(A's release is carried out, and its answer is lost: step 3 (A fault
lost-reply RELEASE). The second one, step 4 (A RELEASE), finds no key, and A reports that it lost
its lock while it worked. It did not; and undoing the work because of the alarm does harm.)",
          .stale = Stale{3, 4},
          .fix = "after an answer that was lost, 'not mine' most likely means: released by the "
                 "first try",
          .repairs = {{"lost-reply-false-alarm-repaired",
                       "lease-lock: remember that an answer was lost", true,
                       "It reports 'released', which is what happened."}},
          .sources = {"derived: alarms about locks that 'were lost'"},
      },
      {
          .name = "lost-reply-false-alarm-repaired",
          .family = Family::ttl,
          .summary = "a release that remembers that an answer was lost",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(lease_lock_of_core()); },
          .expected = proved,
          .explanation = "LeaseLock repeats a release whose answer was lost, and takes 'not mine "
                         "any more' for the work of the first.",
          .repairs_what = "lost-reply-false-alarm",
      }};
}

}  // namespace interlock::sim::catalogue
