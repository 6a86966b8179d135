#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const flawed::StampOptions& options) {
  Visit visit;
  visit.draws_token = options.unique;
  Scenario scenario = world_with_stale_stamp(2);
  add_visitors(scenario, 2, stamp_lock_of(options), visit).require(no_orphan(foo));
  return scenario;
}

Scenario broken(const Bounds&) {
  flawed::StampOptions options;
  options.release = flawed::StampRelease::own_stamp;
  return make(options);
}

}  // namespace

Entries getset_loser_c3c4() {
  return {
      {
          .name = "getset-loser-c3c4",
          .family = Family::setnx,
          .summary = "the loser's GETSET moves the winner's stamp, and the winner cannot release",
          .protocol = "stamp-lock",
          .make = broken,
          .expected = violated("no orphan of lock.foo", 9),
          .explanation = R"(A and B have both seen C0's expired stamp. A wins in step 6 (A
GETSET): it gets the expired stamp back. B comes a second later and loses in step 8 (B GETSET),
but GETSET writes even when it loses: the key now holds B's stamp. A releases only what it has
written, looks in step 9 (A GET), finds a stamp that it does not know, and leaves the key alone.
Nobody else will remove it.)",
          .stale = Stale{5, 8},
          .fix = "compare and set in one step, so that a loser writes nothing",
          .repairs = {{"getset-loser-c3c4-repaired",
                       "take over and release by scripts that compare first", true,
                       "A loser writes nothing, so the key holds what its owner has written."},
                      {"getset-loser-c3c4-blind", "release by DEL, whatever the key holds", false,
                       "Now the winner can release; and so can everybody who comes too late."}},
          .sources = {"Redis manual, SETNX: calls the overwritten stamp 'not a problem'"},
      },
      {
          .name = "getset-loser-c3c4-repaired",
          .family = Family::setnx,
          .summary = "take-over and release compare first: the key holds what its owner wrote",
          .protocol = "stamp-lock-repaired",
          .make = [](const Bounds&) { return make(repaired_stamps()); },
          .expected = proved,
          .explanation = "The script writes only if the stamp that it finds has ended, and the "
                         "release deletes only what this client has written.",
          .repairs_what = "getset-loser-c3c4",
      },
      {
          .name = "getset-loser-c3c4-blind",
          .family = Family::setnx,
          .summary = "a release without a check deletes the next holder's lock",
          .protocol = "stamp-lock",
          .make =
              [](const Bounds&) {
                flawed::StampOptions options;
                options.release = flawed::StampRelease::blind;
                Scenario scenario = world(5);
                add_visitors(scenario, 2, stamp_lock_of(options), Visit()).require(owner_only(foo));
                return scenario;
              },
          .expected = violated("only the owner releases or renews lock.foo", 10),
          .explanation = R"(A has the lock from step 1 (A SETNX) on and is slow. Its lease ends,
and B takes over in step 9 (B GETSET). A releases late: step 10 (A DEL) asks nothing, and removes
B's key.)",
          .stale = Stale{1, 10},
          .repairs_what = "getset-loser-c3c4",
      }};
}

}  // namespace interlock::sim::catalogue
