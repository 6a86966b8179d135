#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// `host-1/100000`: the time in milliseconds at which the process began.
Task<void> named_by_time(Client& me) {
  const auto began = std::chrono::duration_cast<milliseconds>(me.time().now().time_since_epoch());
  flawed::TtlLock lock(me.store(), me.time(), flawed::TtlOptions());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner("host-1/" + std::to_string(began.count()));
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  me.enter(foo, lease.fencing(), lease.certain_until());
  co_await me.leave(foo);
  static_cast<void>(co_await lock.release(lease));
}

Scenario by_time() {
  Scenario scenario = world(4);
  scenario.clients(2, named_by_time).require(owner_only(foo)).offer(lease_exclusion(foo));
  return scenario;
}

Scenario make(bool unique) {
  Visit visit;
  visit.token = "host-1/4711";
  visit.draws_token = unique;
  Scenario scenario = world(4);
  add_visitors(scenario, 2, ttl_lock_of(), visit).require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries token_reuse() {
  return {
      {
          .name = "token-reuse",
          .family = Family::ttl,
          .summary = "host and process number as owner: a client releases the lock of its namesake",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("only the owner releases or renews lock.foo", 7),
          .explanation = R"(Both clients call themselves host-1/4711: process numbers repeat,
and in containers everybody is process 1. A's lease ends, B gets the lock in step 6 (B SETNX), and
A's release in step 7 (A RELEASE) compares, finds its own name, and deletes B's key.)",
          .stale = Stale{1, 7},
          .fix = "128 random bits for each acquire",
          .repairs =
              {{"token-reuse-repaired", "a fresh random token for each acquire", true,
                "No two holds have the same."},
               {"token-reuse-time", "host and time of the process's start as owner", false,
                "Two processes of one host start at one instant more often than one thinks."}},
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
      },
      {
          .name = "token-reuse-time",
          .family = Family::ttl,
          .summary = "host and time of start as owner: two that start at one instant have the same",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return by_time(); },
          .expected = violated("only the owner releases or renews lock.foo", 8),
          .explanation = R"(B starts in step 2 (B starts) at the instant at which A did, so both are
host-1/100000. A's lease ends, B gets the lock in step 7 (B SETNX), and A's release in step 8 (A
RELEASE) compares, finds its own name, and deletes B's key.)",
          .repairs_what = "token-reuse",
      }};
}

}  // namespace interlock::sim::catalogue
