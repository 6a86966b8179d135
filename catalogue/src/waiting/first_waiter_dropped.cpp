#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key next_ticket("tickets");
const Key now_serving("serving");

// A queue in which the one behind drops the one in front, when that does not move for a while.
Task<void> queue(Client& me, bool drops, bool comes_again) {
  me.wants(foo);
  for (;;) {
    const Result<std::int64_t> drawn = co_await me.store().increment(next_ticket);
    if (!drawn) co_return;
    const std::int64_t mine = *drawn;
    bool may_drop = drops;
    std::int64_t serving = 0;
    for (;;) {
      co_await me.loop_head(mine, may_drop ? 1 : 0);
      const Result<std::optional<std::string>> seen = co_await me.store().get(now_serving);
      serving = std::stoll(seen ? seen->value_or("1") : "0");
      if (serving == mine) break;
      if (serving > mine && comes_again) break;
      if (may_drop && serving + 1 == mine) {
        may_drop = false;
        const std::string to_me = std::to_string(mine);
        static_cast<void>(co_await me.store().set(now_serving, to_me));
      }
    }
    if (serving > mine) continue;
    me.enter(foo);
    co_await me.leave(foo);
    const std::string next = std::to_string(mine + 1);
    static_cast<void>(co_await me.store().set(now_serving, next));
    co_return;
  }
}

Scenario make(bool comes_again) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return queue(me, false, comes_again); })
      .client([=](Client& me) { return queue(me, true, comes_again); })
      .require(every_waiter_acquires(foo));
  return scenario;
}

}  // namespace

Entries first_waiter_dropped() {
  return {
      {
          .name = "first-waiter-dropped",
          .family = Family::waiting,
          .summary = "a waiter that is slow is taken for dead and dropped; its turn never comes",
          .protocol = "ticket lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("every waiter acquires lock.foo", 8),
          .explanation = R"(A draws number 1, and is slow. B, behind it, sees in step 3 (B GET)
that nothing moves, and takes A for dead: step 4 (B SET) calls B's own number. B is served, and
calls number 3. A wakes up and looks in step 8 (A GET): its number was called and has been passed,
and will never be called again.)",
          .fix = "a waiter whose turn has passed must notice that, and draw a new number",
          .repairs = {{"first-waiter-dropped-repaired",
                       "a waiter whose number was passed draws a new one", true,
                       "It loses its place, but not its chance to get the lock."}},
          .sources = {"redisson#3004"},
      },
      {
          .name = "first-waiter-dropped-repaired",
          .family = Family::waiting,
          .summary = "a waiter whose number was passed draws a new one",
          .protocol = "ticket lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "Everybody is eventually served, though not in order. That two may be "
                         "inside when a slow holder is dropped is the other price: a queue needs "
                         "leases for places, and tokens for holders.",
          .repairs_what = "first-waiter-dropped",
      }};
}

}  // namespace interlock::sim::catalogue
