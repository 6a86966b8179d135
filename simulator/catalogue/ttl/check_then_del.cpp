#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// The holder even looks at its own clock; it is the step from GET to DEL that takes too long.
Scenario make(flawed::TtlRelease release) {
  flawed::TtlOptions options;
  options.release = release;
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world(4);
  scenario.clients(3, visitor(ttl_lock_of(options), visit)).require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries check_then_del() {
  return {{
              .name = "check-then-del",
              .family = Family::ttl,
              .summary =
                  "GET says 'mine', the lease ends, another takes it, and DEL removes the other's",
              .protocol = "ttl-lock",
              .make = [](const Bounds&) { return make(flawed::TtlRelease::check_then_del); },
              .expected = violated("only the owner releases or renews lock.foo", 8),
              .explanation = R"(A looks in step 3 (A GET): the key is its own. It is paused; its
lease ends, and B gets the lock in step 7 (B SETNX). A goes on where it was: step 8 (A DEL)
removes B's key. With a third client there, it would be free for the taking.)",
              .stale = Stale{3, 8},
              .fix = "compare the owner token and delete in one step",
              .repairs = {{"check-then-del-repaired",
                           "a script that deletes the key if it holds my token", true,
                           "There is no moment between looking and deleting."}},
              .sources = {"medusajs/medusa#16285"},
          },
          {
              .name = "check-then-del-repaired",
              .family = Family::ttl,
              .summary = "compare and delete in one step, with three clients",
              .protocol = "ttl-lock",
              .make = [](const Bounds&) { return make(flawed::TtlRelease::compare); },
              .expected = proved,
              .explanation = "The step that deletes is the step that has looked.",
              .repairs_what = "check-then-del",
          }};
}

}  // namespace interlock::sim::catalogue
