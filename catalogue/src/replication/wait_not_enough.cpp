#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t primary = 0;
constexpr std::size_t replica = 1;
constexpr std::size_t other_replica = 2;
const std::string held = "1";

// Holds when the primary and one replica have it: WAIT 1.
Task<void> waits_for_one(Client& me) {
  const Result<bool> set = co_await me.store(primary).set_if_absent(Key(foo), held);
  if (!set || !*set) co_return;
  const Result<std::monostate> copied = co_await me.store(replica).set(Key(foo), held);
  if (!copied) co_return;
  me.enter(foo);
  co_await me.leave(foo);
}

// The other replica was promoted: this client knows no other server.
Task<void> asks_the_promoted(Client& me) {
  const Result<bool> set = co_await me.store(other_replica).set_if_absent(Key(foo), held);
  if (!set || !*set) co_return;
  me.enter(foo);
  co_await me.leave(foo);
}

// Holds when any two of three have granted.
Task<void> asks_two_of_three(Client& me, std::vector<std::size_t> servers) {
  std::size_t granted = 0;
  for (const std::size_t server : servers) {
    const Result<bool> set = co_await me.store(server).set_if_absent(Key(foo), held);
    if (set && *set) ++granted;
  }
  if (granted < 2) co_return;
  me.enter(foo);
  co_await me.leave(foo);
}

Scenario broken(const Bounds&) {
  Scenario scenario = world();
  scenario.servers(3)
      .client(waits_for_one)
      .client(asks_the_promoted)
      .require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  const std::vector<std::size_t> before{primary, replica, other_replica};
  const std::vector<std::size_t> after{other_replica, replica, primary};
  Scenario scenario = world();
  scenario.servers(3)
      .client([=](Client& me) { return asks_two_of_three(me, before); })
      .client([=](Client& me) { return asks_two_of_three(me, after); })
      .require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries wait_not_enough() {
  return {{
              .name = "wait-not-enough",
              .family = Family::replication,
              .summary = "WAIT says that one replica has it, and the other one is promoted",
              .protocol = "primary and WAIT 1",
              .make = broken,
              .expected = violated("mutual exclusion of lock.foo", 3),
              .explanation = R"(A's grant is at the primary and, after step 2 (A server 1 SET), at
one replica: WAIT says 1. The primary dies, and the other replica is promoted. B asks it in step 3
(B server 2 SETNX), and gets the lock.)",
              .fix = "every grant by a majority, so that any two have a server in common",
              .repairs = {{"wait-not-enough-repaired",
                           "count a grant only if two of three servers have given it", true,
                           "Any two majorities share a server, which grants only once."}},
              .sources = {"redisson#4706", "redisson#4822",
                          "Redis manual, WAIT: 'does not make Redis a strongly consistent store'"},
          },
          {
              .name = "wait-not-enough-repaired",
              .family = Family::replication,
              .summary = "two of three must grant: any two majorities share a server",
              .protocol = "quorum-lock",
              .make = repaired,
              .expected = proved,
              .explanation = "In any order of asking, two clients cannot both have two of three. "
                             "No server forgets anything here: see redlock-restart-no-disk.",
              .repairs_what = "wait-not-enough",
          }};
}

}  // namespace interlock::sim::catalogue
