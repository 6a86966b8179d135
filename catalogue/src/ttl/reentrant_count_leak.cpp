#include "all.hpp"
#include "clients.hpp"
#include "interlock/protocols/lease_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

// Locks in a function that locks: the count of holds is a key. What gets no answer is sent again.
Task<void> counted_in_store(Client& me) {
  const Key key(foo);
  for (int depth = 2; depth > 0; --depth) {
    Result<std::int64_t> counted = co_await me.store().increment(key);
    if (!counted) counted = co_await me.store().increment(key);
  }
  me.enter(foo);
  co_await me.leave(foo);
  for (int depth = 2; depth > 0; --depth) {
    Result<std::optional<std::string>> count = co_await me.store().get(key);
    if (!count) count = co_await me.store().get(key);
    if (!count || !*count) co_return;
    const std::int64_t left = std::stoll(**count) - 1;
    const std::string text = std::to_string(left);
    Result<std::monostate> lowered = co_await me.store().set(key, text);
    if (!lowered) lowered = co_await me.store().set(key, text);
    if (left > 0) continue;
    const Result<bool> erased = co_await me.store().erase(key);
    if (!erased) static_cast<void>(co_await me.store().erase(key));
  }
}

// The store knows one owner; how often it holds is counted where it runs.
Task<void> counted_at_home(Client& me) {
  LeaseLock lock(me.store(), me.time());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  int depth = 2;
  me.enter(foo);
  co_await me.leave(foo);
  while (depth > 0) --depth;
  static_cast<void>(co_await lock.release(lease));
}

Scenario make(Task<void> (*program)(Client&)) {
  Scenario scenario = world();
  scenario.client(program)
      .faults(FaultBudget().allow(Fault::lost_reply))
      .require(free_when_all_are_done());
  return scenario;
}

}  // namespace

Entries reentrant_count_leak() {
  return {{
              .name = "reentrant-count-leak",
              .family = Family::ttl,
              .summary =
                  "a hold is counted twice because an answer was lost; the count never reaches 0",
              .protocol = "counting lock",
              .make = [](const Bounds&) { return make(counted_in_store); },
              .expected = violated("a lock that everybody is done with is free", 8, 1),
              .explanation = R"(A counts its holds in the key. The first INCR is carried out, but
its answer is lost: step 1 (A fault lost-reply INCR). A sends it again in step 2 (A INCR), and the
count is one too high from then on. A releases as often as it has locked; after step 8 (A SET) the
count is 1, and nobody is left who would take it down.)",
              .fix = "count holds in the process, and let the store know one owner",
              .repairs = {{"reentrant-count-leak-repaired",
                           "count in the process; the store keeps one claim", true,
                           "A second claim by the same owner changes nothing."}},
              .sources = {"redisson#4178", "redisson#4109", "redisson#4822"},
          },
          {
              .name = "reentrant-count-leak-repaired",
              .family = Family::ttl,
              .summary = "holds are counted in the process; the store knows one owner",
              .protocol = "lease-lock",
              .make = [](const Bounds&) { return make(counted_at_home); },
              .expected = proved,
              .explanation = "What the store is asked for can be asked twice: claiming again and "
                             "releasing again are harmless.",
              .repairs_what = "reentrant-count-leak",
          }};
}

}  // namespace interlock::sim::catalogue
