#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// The lease lasts 60 s, as in the original; instants are 61 s apart.
Scenario make(const char* id, const Bounds& bounds) {
  Visit visit;
  visit.draws_token = true;
  visit.ttl = Ttl(std::chrono::seconds{60});
  visit.attempts = static_cast<std::int64_t>(bounds.attempts.value_or(1));
  Scenario scenario = world(3, std::chrono::seconds{61});
  add_visitors(scenario, bounds.clients.value_or(2), source_lock(id), visit)
      .require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries stamp_equal_lock() {
  return {
      {
          .name = "stamp-equal-lock",
          .family = Family::locks,
          .summary = "the stamp lock with an equality test; its release deletes whatever is there",
          .protocol = "stamp-equal-lock",
          .make = [](const Bounds& bounds) { return make("stamp-equal-lock", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation = R"(A gets the lock in step 1 (A SETNX) for 60 s and is slow. Its stamp
ends, and B takes over properly in step 6 (B GETSET). A's section ends at last, and A releases:
step 7 (A DEL) compares nothing, and removes B's lock. The article that describes this lock says
so itself.)",
          .stale = Stale{1, 7},
          .fix = "compare what the key holds with what this client wrote, and delete in one step",
          .repairs = {{"stamp-equal-lock-repaired",
                       "take over and release by scripts that compare first", true,
                       "A late release finds somebody else's stamp and leaves it."}},
          .sources = {"an article on a Java lock over Redis, which says itself that the release "
                      "does not check"},
      },
      {
          .name = "stamp-equal-lock-repaired",
          .family = Family::locks,
          .summary = "the same, comparing in the step that writes or deletes",
          .protocol = "stamp-equal-lock-repaired",
          .make = [](const Bounds& bounds) { return make("stamp-equal-lock-repaired", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = proved,
          .explanation = "The value is the stamp and the owner; only its owner deletes it. "
                         "Clients' clocks still decide when a lease ends.",
          .repairs_what = "stamp-equal-lock",
      }};
}

}  // namespace interlock::sim::catalogue
