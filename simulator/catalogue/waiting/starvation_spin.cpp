#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const std::string held = "1";

Task<void> spin(Client& me, bool for_ever) {
  do {
    me.wants(foo);
    for (;;) {
      co_await me.loop_head();
      const Result<bool> taken = co_await me.store().set_if_absent(Key(foo), held);
      if (taken && *taken) break;
    }
    me.enter(foo);
    co_await me.leave(foo);
    static_cast<void>(co_await me.store().erase(Key(foo)));
  } while (for_ever);
}

// Peterson's algorithm, with its three variables as keys: whoever comes says 'after you'.
Task<void> after_you(Client& me, std::string mine, std::string other, bool for_ever) {
  const Key my_flag("wants/" + mine);
  const Key other_flag("wants/" + other);
  const Key turn("turn");
  do {
    me.wants(foo);
    static_cast<void>(co_await me.store().set(my_flag, held));
    static_cast<void>(co_await me.store().set(turn, other));
    for (;;) {
      co_await me.loop_head();
      const Result<std::optional<std::string>> rival = co_await me.store().get(other_flag);
      if (rival && !*rival) break;
      const Result<std::optional<std::string>> whose = co_await me.store().get(turn);
      if (whose && *whose == mine) break;
    }
    me.enter(foo);
    co_await me.leave(foo);
    static_cast<void>(co_await me.store().erase(my_flag));
  } while (for_ever);
}

Scenario broken(const Bounds&) {
  Scenario scenario = world();
  scenario.client([](Client& me) { return spin(me, true); })
      .client([](Client& me) { return spin(me, false); })
      .require(every_waiter_acquires(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Scenario scenario = world();
  scenario.client([](Client& me) { return after_you(me, "A", "B", true); })
      .client([](Client& me) { return after_you(me, "B", "A", false); })
      .require(mutual_exclusion(foo))
      .require(every_waiter_acquires(foo));
  return scenario;
}

}  // namespace

Entries starvation_spin() {
  return {
      {
          .name = "starvation-spin",
          .family = Family::waiting,
          .summary = "one client takes the lock again and again; the other always asks too late",
          .protocol = "setnx loop",
          .make = broken,
          .expected = violated("every waiter acquires lock.foo", 6),
          .explanation = R"(A has the lock, and B is refused in step 2 (B SETNX). A releases in
step 4 (A DEL) and has it again in step 5 (A SETNX), before B asks the next time in step 6 (B
SETNX). That may go on for ever, although B never stops asking and the lock is free again and
again.)",
          .fix = "let whoever comes wait behind whoever waits: a turn, or a queue",
          .repairs = {{"starvation-spin-repaired", "whoever comes lets the other one go first",
                       true, "The one that waits has been let go first."}},
          .sources = {"G. L. Peterson, Myths about the mutual exclusion problem, 1981"},
      },
      {
          .name = "starvation-spin-repaired",
          .family = Family::waiting,
          .summary = "Peterson's algorithm over a store: whoever comes says 'after you'",
          .protocol = "turn lock",
          .make = repaired,
          .expected = proved,
          .explanation = "For two clients, and none that crashes; it shows what fairness takes. "
                         "Real queues are longer.",
          .repairs_what = "starvation-spin",
      }};
}

}  // namespace interlock::sim::catalogue
