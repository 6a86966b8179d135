#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const char* id, const Bounds& bounds) {
  Visit visit;
  visit.draws_token = true;
  visit.attempts = static_cast<std::int64_t>(bounds.attempts.value_or(1));
  Scenario scenario = world();
  add_visitors(scenario, bounds.clients.value_or(2), source_lock(id), visit)
      .require(free_when_all_are_done());
  return scenario;
}

}  // namespace

Entries script_lock() {
  return {
      {
          .name = "script-lock",
          .family = Family::locks,
          .summary = "the stamp lock in a script; its release deletes only what has *ended*",
          .protocol = "script-lock",
          .make = [](const Bounds& bounds) { return make("script-lock", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("a lock that everybody is done with is free", 4),
          .explanation = R"(A has the lock from step 1 (A RUN script-lock-acquire) on, and B is
refused in step 2 (B RUN script-lock-acquire). A's release, step 4 (A RUN script-lock-release),
compares the wrong way round: it would delete any client's lock that has ended, and leaves a lock
that lives. Nobody is inside, and after each use all wait for the stamp to end.)",
          .fix = "delete the key if it holds what this client wrote",
          .repairs = {{"script-lock-repaired", "put the owner behind the stamp, compare and delete",
                       true, "A lock that lives is released by its owner, and by nobody else."}},
          .sources = {"an article on a PHP lock with server-side scripts"},
      },
      {
          .name = "script-lock-repaired",
          .family = Family::locks,
          .summary = "the same with a release that compares, and a ttl that counts once",
          .protocol = "script-lock-repaired",
          .make = [](const Bounds& bounds) { return make("script-lock-repaired", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = proved,
          .explanation =
              "What is released is what was taken. Clients' clocks still decide when a lease ends.",
          .repairs_what = "script-lock",
      }};
}

}  // namespace interlock::sim::catalogue
