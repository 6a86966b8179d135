#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t process_memory = 1;
const Key registry_entry("registry/lock.foo");

// Two threads of one process. The store takes both for the process, `il1:process`. An entry in the
// process's own memory decides which of them may enter.
Task<void> thread_with_registry(Client& me) {
  const OwnerToken process("il1:process");
  const Ttl ttl{std::chrono::seconds{2}};
  const std::string value = "locked";
  const Result<bool> here = co_await me.store(process_memory).set_if_absent(registry_entry, value);
  if (!here || !*here) co_return;
  const Result<ClaimReply> there = co_await me.store().claim(Key(foo), process, ttl);
  if (!there || !std::holds_alternative<Claimed>(*there)) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), process));
  static_cast<void>(co_await me.store(process_memory).erase(registry_entry));
}

Task<void> cache_that_is_full(Client& me) {
  static_cast<void>(co_await me.store(process_memory).erase(registry_entry));
}

Scenario make(const Program& thread) {
  Scenario scenario = world();
  scenario.servers(2).clients(2, thread).client(cache_that_is_full).require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  return make(visitor(ttl_lock_of(), visit));
}

}  // namespace

Entries local_registry_evicted() {
  return {
      {
          .name = "local-registry-evicted",
          .family = Family::ttl,
          .summary = "a client-side cache forgets a held lock, and a second thread gets it, too",
          .protocol = "registry lock",
          .make = [](const Bounds&) { return make(thread_with_registry); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation = R"(Two threads of one process share an owner token, so the store lets
both in; an entry in the process's own memory keeps them apart. A makes it in step 1 (A server 1
SETNX registry/lock.foo). The cache is full, and drops it in step 3 (C server 1 DEL). B makes it
anew in step 4 (B server 1 SETNX registry/lock.foo), and the store grants in step 5 (B CLAIM) what
the process holds already.)",
          .fix = "an owner token for each hold, not for each process",
          .repairs = {{"local-registry-evicted-repaired",
                       "let the store tell threads apart as well", true,
                       "Nothing in the process's memory decides."}},
          .sources = {"spring-integration#11044"},
      },
      {
          .name = "local-registry-evicted-repaired",
          .family = Family::ttl,
          .summary = "each hold has an owner token of its own",
          .protocol = "ttl-lock",
          .make = repaired,
          .expected = proved,
          .explanation =
              "What the cache forgets does not matter: the store keeps the threads apart.",
          .repairs_what = "local-registry-evicted",
      }};
}

}  // namespace interlock::sim::catalogue
