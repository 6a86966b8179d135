#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const std::string held = "1";

// For ever, with a pause after each visit or without; or once.
enum class Comes : std::uint8_t { once, again_and_again, after_a_pause };
Task<void> spin(Client& me, Comes comes) {
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
    if (comes == Comes::after_a_pause) {
      co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
    }
  } while (comes != Comes::once);
}

// Peterson's algorithm, with its three variables as keys: a client that comes says 'after you'.
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

Scenario make(Comes often) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return spin(me, often); })
      .client([](Client& me) { return spin(me, Comes::once); })
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
          .make = [](const Bounds&) { return make(Comes::again_and_again); },
          .expected = violated("every waiter acquires lock.foo", 6),
          .explanation = R"(A has the lock, and B is refused in step 2 (B SETNX). A releases in
step 4 (A DEL) and has it again in step 5 (A SETNX), before B asks the next time in step 6 (B
SETNX). That may go on for ever, although B never stops asking and the lock is free again and
again.)",
          .fix = "let a client that comes wait behind those that wait: a turn, or a queue",
          .repairs =
              {{"starvation-spin-repaired", "a client that arrives lets the other one go first",
                true, "A client that comes back gives way to the one that waits."},
               {"starvation-spin-pause", "sleep a second after each release", false,
                "The other one asks now and then, and may ask each time while the lock is held."}},
          .sources = {"G. L. Peterson, Myths about the mutual exclusion problem, 1981"},
      },
      {
          .name = "starvation-spin-repaired",
          .family = Family::waiting,
          .summary = "Peterson's algorithm over a store: a client that comes says 'after you'",
          .protocol = "turn lock",
          .make = repaired,
          .expected = proved,
          .explanation = "For two clients, and none that crashes; it shows what fairness takes. "
                         "Real queues are longer.",
          .repairs_what = "starvation-spin",
      },
      {
          .name = "starvation-spin-pause",
          .family = Family::waiting,
          .summary = "a pause after each release: the other client may still ask at the wrong time",
          .protocol = "setnx loop",
          .make =
              [](const Bounds&) {
                Scenario scenario = make(Comes::after_a_pause);
                scenario.time_without_end(std::chrono::seconds{3});
                return scenario;
              },
          .expected = violated("every waiter acquires lock.foo", 8),
          .explanation =
              R"(A releases in step 4 (A DEL) and sleeps. It wakes in step 6 (A wakes) and has
the lock again in step 7 (A SETNX), before B asks in step 8 (B SETNX). B asks without a pause here, and
is still unlucky for ever: a pause makes that unlikely, not impossible.)",
          .repairs_what = "starvation-spin",
      }};
}

}  // namespace interlock::sim::catalogue
