#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario broken(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world(4);
  add_visitors(scenario, 2, ttl_lock_of(), visit).require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  return lease_lock_scenario(2, LeaseClientOptions(), 6);
}

// The lease is looked at right before the write, and the resource takes everything.
Scenario checked_before_write(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  visit.writes = true;
  visit.checks_lease = true;
  Scenario scenario = world(4);
  add_visitors(scenario, 2, lease_lock_of_core(), visit).require(fenced_writes(database));
  return scenario;
}

}  // namespace

Entries pause_after_acquire() {
  return {
      {
          .name = "pause-after-acquire",
          .family = Family::ttl,
          .summary = "the holder is paused past its lease, and acts on when it wakes up",
          .protocol = "ttl-lock",
          .make = broken,
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation = R"(A gets the lock in step 1 (A SETNX) and is paused: a garbage
collection, a suspended machine, a slow disk. Its lease ends without anybody telling it. B gets
the lock in step 5 (B SETNX). When A wakes up, both believe that they hold it, and nothing that A
asked before the pause can tell it otherwise.)",
          .fix = "give every grant a greater number, and let the resource refuse smaller ones",
          .repairs = {{"pause-after-acquire-repaired", "fencing tokens, checked by the resource",
                       true,
                       "Two clients may believe that they hold the lock; the resource refuses a "
                       "stale write."},
                      {"pause-after-acquire-check",
                       "look at the lease right before the critical write", false,
                       "The pause may fall between the look and the write."}},
          .sources = {"M. Kleppmann, How to do distributed locking, 2016",
                      "Hadoop HBase, GC pauses"},
      },
      {
          .name = "pause-after-acquire-repaired",
          .family = Family::ttl,
          .summary = "fencing tokens: a stale holder's write is refused",
          .protocol = "lease-lock",
          .make = repaired,
          .expected = proved,
          .explanation = "Each grant has a greater number than the one before. The resource has "
                         "seen the newer one's by the time the sleeper wakes, or takes the "
                         "sleeper's first: in either order no stale write lands after a newer one.",
          .repairs_what = "pause-after-acquire",
      },
      {
          .name = "pause-after-acquire-check",
          .family = Family::ttl,
          .summary = "a look at the lease right before the write: the pause falls in between",
          .protocol = "lease-lock",
          .make = checked_before_write,
          .expected = violated("no stale write to database after a newer one", 7),
          .explanation = R"(A looks at its lease and finds it good, and is paused before the
write goes out. B gets the lock in step 5 (B CLAIM) and writes in step 6 (B write). Then A's write
lands: step 7 (A write). A check cannot be closer to a write than the step before it; only what
does the write can check in the same step.)",
          .repairs_what = "pause-after-acquire",
      }};
}

}  // namespace interlock::sim::catalogue
