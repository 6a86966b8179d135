#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t primary = 0;
constexpr std::size_t replica = 1;

// Takes the lock at the primary; asks a replica whether it is still its own.
Task<void> reads_at_replica(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> ttl = milliseconds{2'000};
  const Result<bool> set = co_await me.store(primary).set_if_absent(Key(foo), owner.text(), ttl);
  if (!set || !*set) co_return;
  // Replicates the key, here late and only once.
  static_cast<void>(co_await me.store(replica).set(Key(foo), owner.text()));
  me.enter(foo);
  co_await me.leave(foo);
  const Result<std::optional<std::string>> holder = co_await me.store(replica).get(Key(foo));
  if (!holder || *holder != owner.text()) co_return;
  static_cast<void>(co_await me.store(primary).erase(Key(foo)));
}

Scenario broken(const Bounds&) {
  Scenario scenario = world(4);
  scenario.servers(2).clients(2, reads_at_replica).require(owner_only(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world(4);
  add_visitors(scenario.servers(2), 2, ttl_lock_of(), visit).require(owner_only(foo));
  return scenario;
}

}  // namespace

Entries stale_replica_read() {
  return {{
              .name = "stale-replica-read",
              .family = Family::replication,
              .summary =
                  "a replica that is behind says 'still yours', and the primary's key is deleted",
              .protocol = "ttl-lock over a replica",
              .make = broken,
              .expected = violated("only the owner releases or renews lock.foo", 9),
              .explanation = R"(A asks a replica whether the lock is still its own: step 4 (A server
1 GET). It is. A is paused, its lease ends, B gets the lock from the primary in step 8 (B SETNX),
and A deletes it there in step 9 (A DEL). If the replica lags, no pause between the two
commands is needed.)",
              .stale = Stale{4, 9},
              .fix = "compare and delete in one step, at the primary",
              .repairs = {{"stale-replica-read-repaired",
                           "one script at the primary compares and deletes", true,
                           "Looking and deleting happen at the same place in the same step."}},
              .sources = {"derived: clients that send reads to replicas"},
          },
          {
              .name = "stale-replica-read-repaired",
              .family = Family::replication,
              .summary = "compare and delete at the primary, in one step",
              .protocol = "ttl-lock",
              .make = repaired,
              .expected = proved,
              .explanation = "What replicas hold plays no part.",
              .repairs_what = "stale-replica-read",
          }};
}

}  // namespace interlock::sim::catalogue
