#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const flawed::StampOptions& options) {
  Visit brief;
  brief.draws_token = options.unique;
  brief.ttl = Ttl(std::chrono::seconds{1});
  Scenario scenario = world(4);
  add_visitors(scenario, 2, stamp_lock_of(options), brief).require(no_orphan(foo));
  return scenario;
}

Scenario broken(const Bounds&) {
  flawed::StampOptions options;
  options.take_over = TakeOver::getset_equal;
  options.release = flawed::StampRelease::blind;
  return make(options);
}

}  // namespace

Entries getset_nil_as_fail() {
  return {
      {
          .name = "getset-nil-as-fail",
          .family = Family::setnx,
          .summary =
              "GETSET finds no key, wins without noticing, and leaves a lock without an owner",
          .protocol = "stamp-equal-lock",
          .make = broken,
          .expected = violated("no orphan of lock.foo", 9),
          .explanation = R"(B sees A's expired stamp in step 7 (B GET). A, late, releases in
step 8 (A DEL). B's GETSET in step 9 (B GETSET) finds nothing; B has written its stamp and so
holds the lock, but 'nothing' is not equal to what it has read, so it believes that it has lost.
The key has no owner, and no end.)",
          .stale = Stale{7, 9},
          .fix = "count 'there was none' as won; or compare and set in one step",
          .repairs = {{"getset-nil-as-fail-repaired", "take over by a script that compares first",
                       true,
                       "The script writes only if it wins: comparing and writing are one step."},
                      {"getset-nil-as-fail-counted", "count an empty answer of GETSET as won",
                       false, "That repairs this run. The loser who moves a stamp remains."}},
          .sources = {"derived from the articles' equality test"},
      },
      {
          .name = "getset-nil-as-fail-repaired",
          .family = Family::setnx,
          .summary = "one step decides and writes: only a winner writes",
          .protocol = "stamp-lock-repaired",
          .make = [](const Bounds&) { return make(repaired_stamps()); },
          .expected = proved,
          .explanation =
              "The script takes a key that is not there like one that has ended, and says so.",
          .repairs_what = "getset-nil-as-fail",
      },
      {
          .name = "getset-nil-as-fail-counted",
          .family = Family::setnx,
          .summary = "nil counts as won: the orphan is gone, the moved stamp is not",
          .protocol = "stamp-lock",
          .make =
              [](const Bounds&) {
                flawed::StampOptions options;
                options.release = flawed::StampRelease::own_stamp;
                Visit brief;
                brief.ttl = Ttl(std::chrono::seconds{1});
                Scenario scenario = world_with_stale_stamp(3);
                add_visitors(scenario, 2, stamp_lock_of(options), brief).require(no_orphan(foo));
                return scenario;
              },
          .expected = violated("no orphan of lock.foo", 9),
          .explanation = R"(With 'nothing' counted as won, that orphan is gone. The next one: A
wins in step 6 (A GETSET), B loses in step 8 (B GETSET) and moves A's stamp, and A does not
recognise its own lock in step 9 (A GET).)",
          .stale = Stale{5, 8},
          .repairs_what = "getset-nil-as-fail",
      }};
}

}  // namespace interlock::sim::catalogue
