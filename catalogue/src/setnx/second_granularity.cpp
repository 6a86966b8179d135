#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const flawed::StampOptions& options) {
  Visit visit;
  visit.draws_token = options.unique;
  visit.releases = 2;
  Scenario scenario = world();
  add_visitors(scenario, 2, stamp_lock_of(options), visit)
      .faults(FaultBudget().allow(Fault::lost_reply))
      .require(owner_only(foo));
  return scenario;
}

flawed::StampOptions own_stamp(Duration granularity) {
  flawed::StampOptions options;
  options.release = flawed::StampRelease::own_stamp;
  options.granularity = granularity;
  return options;
}

}  // namespace

Entries second_granularity() {
  return {
      {
          .name = "second-granularity",
          .family = Family::setnx,
          .summary = "two clients write the same second: 'is it my stamp?' is true for both",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(own_stamp(std::chrono::seconds{1})); },
          .expected = violated("only the owner releases or renews lock.foo", 7, 1),
          .explanation = R"(A releases: it sees its stamp in step 3 (A GET) and deletes it, but
the answer is lost: step 4 (A fault lost-reply DEL). B gets the free lock in step 5 (B SETNX) and
writes the same second. A tries its release again, takes B's stamp for its own in step 6 (A GET),
and deletes it in step 7 (A DEL).)",
          .stale = Stale{6, 7},
          .fix = "put something unguessable into the value, and compare and delete in one step",
          .repairs =
              {{"second-granularity-repaired",
                "an owner token behind the stamp, compared and deleted in one step", true,
                "No two clients ever write the same."},
               {"second-granularity-milliseconds", "count stamps in milliseconds", false,
                "That makes it rarer, not impossible: two clients of one millisecond are enough."}},
          .sources = {"derived from the articles, one of which asks for milliseconds"},
      },
      {
          .name = "second-granularity-repaired",
          .family = Family::setnx,
          .summary = "an owner token behind the stamp: only its owner can delete it",
          .protocol = "stamp-lock-repaired",
          .make = [](const Bounds&) { return make(repaired_stamps()); },
          .expected = proved,
          .explanation = "A release that is sent twice finds either its own value or somebody "
                         "else's, and can tell.",
          .repairs_what = "second-granularity",
      },
      {
          .name = "second-granularity-milliseconds",
          .family = Family::setnx,
          .summary = "milliseconds make it rarer, and change nothing",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(own_stamp(milliseconds{1})); },
          .expected = violated("only the owner releases or renews lock.foo", 7, 1),
          .explanation = R"(The same with finer stamps: the answer to A's release is lost in
step 4 (A fault lost-reply DEL), B writes the stamp of the same millisecond in step 5 (B SETNX),
and step 7 (A DEL) deletes it.)",
          .stale = Stale{6, 7},
          .repairs_what = "second-granularity",
      }};
}

}  // namespace interlock::sim::catalogue
