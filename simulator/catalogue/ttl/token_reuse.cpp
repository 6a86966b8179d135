#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(bool unique) {
  Visit visit;
  visit.token = "host-1/4711";
  visit.draws_token = unique;
  Scenario scenario = world(4);
  scenario.clients(2, visitor(ttl_lock_of(), visit)).require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries token_reuse() {
  return {
      {
          .name = "token-reuse",
          .family = Family::ttl,
          .summary =
              "host and process number as owner: two clients are one, and release each other",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation = R"(Both clients call themselves host-1/4711: process numbers repeat,
and in containers everybody is process 1. A's lease ends, B gets the lock in step 6 (B SETNX), and
A's release in step 7 (A RELEASE) compares, finds its own name, and deletes B's key.)",
          .stale = Stale{1, 7},
          .fix = "128 random bits for each acquire",
          .repairs = {{"token-reuse-repaired", "a fresh random token for each acquire", true,
                       "No two holds have the same."}},
          .sources =
              {"derived: containers all have process 1; a fork keeps its parent's random state"},
      },
      {
          .name = "token-reuse-repaired",
          .family = Family::ttl,
          .summary = "a fresh token for each acquire",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "Comparing owners means something if owners differ.",
          .repairs_what = "token-reuse",
      }};
}

}  // namespace interlock::sim::catalogue
