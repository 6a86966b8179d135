#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key next_ticket("tickets");
const Key now_serving("serving");

// The client whose number is called may enter; numbers are called one after the other.
Task<void> queue(Client& me) {
  me.wants(foo);
  const Result<std::int64_t> drawn = co_await me.store().increment(next_ticket);
  if (!drawn) co_return;
  const std::int64_t mine = *drawn;
  for (;;) {
    co_await me.loop_head(mine);
    const Result<std::optional<std::string>> serving = co_await me.store().get(now_serving);
    if (serving && serving->value_or("1") == std::to_string(mine)) break;
  }
  me.enter(foo);
  co_await me.leave(foo);
  const std::string next = std::to_string(mine + 1);
  static_cast<void>(co_await me.store().set(now_serving, next));
}

// No queue: clients ask every second, the first to ask gets the lock, and a crash costs a ttl.
Task<void> poll(Client& me) {
  me.wants(foo);
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> ttl = milliseconds{2'000};
  for (;;) {
    co_await me.loop_head(0);
    const Result<bool> taken = co_await me.store().set_if_absent(Key(foo), owner.text(), ttl);
    if (taken && *taken) break;
    co_await me.loop_head(1);
    co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
  me.enter(foo);
  co_await me.leave(foo);
  co_await me.loop_head(2);
  static_cast<void>(co_await me.store().erase(Key(foo)));
}

Scenario make(const Program& client) {
  Scenario scenario = world();
  scenario.clients(2, client)
      .faults(FaultBudget().allow(Fault::crash))
      .require(every_waiter_acquires(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Scenario scenario = make(poll);
  scenario.time_without_end(std::chrono::seconds{3});
  return scenario;
}

}  // namespace

Entries dead_waiter_at_head() {
  return {{
              .name = "dead-waiter-at-head",
              .family = Family::waiting,
              .summary =
                  "a client that crashes with a place in the queue keeps everybody behind it out",
              .protocol = "ticket lock",
              .make = [](const Bounds&) { return make(queue); },
              .expected = violated("every waiter acquires lock.foo", 4, 1),
              .explanation = R"(B draws number 1 in step 1 (B INCR) and crashes in step 2 (B fault
crash). A draws number 2 in step 3 (A INCR), and looks in step 4 (A GET), and ever after, whether
it is called. Only number 1 could call it.)",
              .fix = "a place in the queue must end by itself, as a lease does",
              .repairs = {{"dead-waiter-at-head-repaired",
                           "no queue: the first to ask gets the lock, with a ttl", true,
                           "A crash costs a ttl, at the price of fairness. Queues whose places end "
                           "keep both."}},
              .sources = {"redisson#6150", "redisson#3168"},
          },
          {
              .name = "dead-waiter-at-head-repaired",
              .family = Family::waiting,
              .summary = "no queue, and a ttl: a crash costs a ttl",
              .protocol = "ttl-lock",
              .make = repaired,
              .expected = proved,
              .explanation = "Each of those who come once is eventually served. Somebody who comes "
                             "again and again could still starve another: starvation-spin.",
              .repairs_what = "dead-waiter-at-head",
          }};
}

}  // namespace interlock::sim::catalogue
