#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* transfer = "transfer";
const std::string held = "1";
const Key k1("account/1");
const Key k2("account/2");

Task<void> spin_for(Client& me, Key key, std::int64_t place) {
  for (;;) {
    co_await me.loop_head(place);
    const Result<bool> taken = co_await me.store().set_if_absent(key, held);
    if (taken && *taken) co_return;
  }
}

Task<void> take_both(Client& me, Key first, Key second) {
  me.wants(transfer);
  co_await spin_for(me, first, 1);
  co_await spin_for(me, second, 2);
  me.enter(transfer);
  co_await me.leave(transfer);
  static_cast<void>(co_await me.store().erase(second));
  static_cast<void>(co_await me.store().erase(first));
}

// Never waits with something in hand.
Task<void> polite(Client& me, Key first, Key second) {
  me.wants(transfer);
  for (;;) {
    co_await me.loop_head();
    const Result<bool> one = co_await me.store().set_if_absent(first, held);
    if (!one || !*one) continue;
    const Result<bool> other = co_await me.store().set_if_absent(second, held);
    if (other && *other) break;
    static_cast<void>(co_await me.store().erase(first));
  }
  me.enter(transfer);
  co_await me.leave(transfer);
  static_cast<void>(co_await me.store().erase(second));
  static_cast<void>(co_await me.store().erase(first));
}

Scenario make(const Program& a, const Program& b) {
  Scenario scenario = world();
  scenario.client(a).client(b).require(every_waiter_acquires(transfer));
  return scenario;
}

Task<void> up(Client& me) {
  return take_both(me, k1, k2);
}
Task<void> down(Client& me) {
  return take_both(me, k2, k1);
}

}  // namespace

Entries lock_order_deadlock() {
  return {{
              .name = "lock-order-deadlock",
              .family = Family::waiting,
              .summary = "two keys in two orders: each has what the other one waits for",
              .protocol = "setnx loop",
              .make = [](const Bounds&) { return make(up, down); },
              .expected = violated("every waiter acquires transfer", 4),
              .explanation = R"(A has the first account in step 1 (A SETNX account/1), B the second
in step 2 (B SETNX account/2). Each asks for the other one, step 3 (A SETNX account/2) and step 4
(B SETNX account/1), and will do so for ever.)",
              .fix = "one order for everybody: sort the names before locking",
              .repairs = {{"lock-order-deadlock-repaired", "sort the names before locking", true,
                           "The client that has the first key finds the second one free."},
                          {"lock-order-deadlock-back-off",
                           "give the first back when the second is refused, and begin anew", false,
                           "Both give back, and both begin anew, and so on for ever: a livelock."}},
              .sources = {"node-redlock#305", "redisson#4050"},
          },
          {
              .name = "lock-order-deadlock-repaired",
              .family = Family::waiting,
              .summary = "one order for everybody",
              .protocol = "setnx loop",
              .make = [](const Bounds&) { return make(up, up); },
              .expected = proved,
              .explanation = "A circle of waiting would have to go up and down at once.",
              .repairs_what = "lock-order-deadlock",
          },
          {
              .name = "lock-order-deadlock-back-off",
              .family = Family::waiting,
              .summary = "a client that is refused gives back and begins anew: both do, for ever",
              .protocol = "setnx loop",
              .make =
                  [](const Bounds&) {
                    return make([](Client& me) { return polite(me, k1, k2); },
                                [](Client& me) { return polite(me, k2, k1); });
                  },
              .expected = violated("every waiter acquires transfer", 8),
              .explanation = R"(Each has one account. A is refused the other one in step 3 (A SETNX
account/2), gives back, and has the first again in step 5 (A SETNX account/1). B does the same, up to
step 8 (B SETNX account/2), and is where it was. Nobody waits with something in hand for long, and
nobody ever has both.)",
              .repairs_what = "lock-order-deadlock",
          }};
}

}  // namespace interlock::sim::catalogue
