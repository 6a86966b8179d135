#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// The holder stays until the very instant in its stamp, 103 s; nobody is paused.
Scenario make(bool takes_at_the_edge) {
  flawed::StampOptions options;
  options.takes_at_the_edge = takes_at_the_edge;
  Visit holder;
  holder.stays = std::chrono::seconds{3};
  Visit other;
  other.attempts = 2;
  Scenario scenario = world(3, std::chrono::seconds{3});
  scenario.client(visitor(stamp_lock_of(options), holder))
      .client(visitor(stamp_lock_of(options), other))
      .faults(FaultBudget().pauses(0))
      .require(mutual_exclusion(foo))
      .offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries expiry_edge() {
  return {
      {
          .name = "expiry-edge",
          .family = Family::setnx,
          .summary = "holder and successor both count the instant of the stamp as their own",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation = R"(A's stamp is 103, and A works until its clock shows 103. B comes at
103; its GET in step 4 (B GET) returns 103, and B counts that as over. It takes the lock in step 5
(B GETSET), while A is about to leave. Both comparisons include the same
instant.)",
          .fix =
              "let one side have the instant: take over strictly after it, as Redis expires keys",
          .repairs = {{"expiry-edge-repaired", "take over when now > stamp, not when now >= stamp",
                       true, "The instant belongs to the holder alone."}},
          .sources = {"Redis, db.c, keyIsExpired(): now > when"},
      },
      {
          .name = "expiry-edge-repaired",
          .family = Family::setnx,
          .summary = "the instant in the stamp belongs to the holder alone",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = proved,
          .explanation = "Holder and taker draw the line at the same place, and nobody is paused: "
                         "within these bounds that is enough.",
          .repairs_what = "expiry-edge",
      }};
}

}  // namespace interlock::sim::catalogue
