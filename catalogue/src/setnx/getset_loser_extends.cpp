#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::int64_t longest_of_b = 100 + 2 + 1;

// B asks for 2 s, C for 9 s. Whatever C does without getting the lock, B's must not last longer.
bool no_longer_than_asked(const Snapshot& now) {
  const KeyView* key = now.find(foo);
  if (key == nullptr || key->value == "50" || now.clients[0].inside.empty()) return true;
  return std::stoll(key->value) <= longest_of_b;
}

Scenario make(const flawed::StampOptions& options) {
  Visit brief;
  brief.draws_token = options.unique;
  Visit longer = brief;
  longer.ttl = Ttl(std::chrono::seconds{9});
  Scenario scenario = world_with_stale_stamp();
  scenario.client(visitor(stamp_lock_of(options), brief))
      .client(visitor(stamp_lock_of(options), longer))
      .require(always("no loser makes the lock last longer", no_longer_than_asked,
                      "let a client that does not get the lock make it last longer"))
      .offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries getset_loser_extends() {
  return {
      {
          .name = "getset-loser-extends",
          .family = Family::setnx,
          .summary =
              "a loser's GETSET makes the winner's lock last longer: a crash then costs more",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(flawed::StampOptions()); },
          .expected = violated("no loser makes the lock last longer", 6),
          .explanation = R"(A asks for 2 s and wins in step 5 (A GETSET). B asks for 9 s and
loses in step 6 (B GETSET), but its stamp is what the key holds now. If A crashes, everybody waits
for B's time, not for A's; and each further loser moves the end once more.)",
          .stale = Stale{4, 6},
          .fix = "compare and set in one step, so that a loser writes nothing",
          .repairs = {{"getset-loser-extends-repaired", "take over by a script that compares first",
                       true, "Only the winner's ttl is ever in the key."}},
          .sources = {"Redis manual, SETNX: 'not a problem', as it says, if everybody asks for the "
                      "same time"},
      },
      {
          .name = "getset-loser-extends-repaired",
          .family = Family::setnx,
          .summary = "a loser that writes nothing makes nothing longer",
          .protocol = "stamp-lock-repaired",
          .make = [](const Bounds&) { return make(repaired_stamps()); },
          .expected = proved,
          .explanation = "A client that does not get the lock leaves the key as it was.",
          .repairs_what = "getset-loser-extends",
      }};
}

}  // namespace interlock::sim::catalogue
