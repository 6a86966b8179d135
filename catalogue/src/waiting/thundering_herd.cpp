#include "interlock/store/lock_keys.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* in_vain = "is woken in vain";
const Key next_ticket("tickets");
const Key now_serving("serving");

Channel turn_of(std::int64_t ticket) {
  return Channel("turn-" + std::to_string(ticket));
}

// All clients listen on one channel, and one that is woken may pause for a random time.
Task<void> one_bell(Client& me, bool pauses) {
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{60}};
  const Channel bell = release_channel(Key(foo));
  const Result<SubscriptionId> subscription = co_await me.store().subscribe(bell);
  if (!subscription) co_return;
  const SubscriptionId heard = *subscription;
  bool woken = false;
  for (;;) {
    const Result<ClaimReply> reply = co_await me.store().claim(Key(foo), owner, ttl);
    if (!reply) co_return;
    if (std::holds_alternative<Claimed>(*reply)) break;
    me.reach(in_vain, woken);
    const TimePoint until = me.time().now() + std::chrono::seconds{10};
    const Result<bool> rang = co_await me.store().await_message(heard, until);
    woken = rang && *rang;
    if (!woken) co_return;
    if (pauses && me.choose(2) == 1) {
      co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
    }
  }
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

// Each draws a ticket, and is called by its number.
Task<void> own_bell(Client& me) {
  const Result<std::int64_t> drawn = co_await me.store().increment(next_ticket);
  if (!drawn) co_return;
  const std::int64_t mine = *drawn;
  const Channel my_turn = turn_of(mine);
  const Result<SubscriptionId> subscription = co_await me.store().subscribe(my_turn);
  if (!subscription) co_return;
  const SubscriptionId heard = *subscription;
  bool woken = false;
  for (;;) {
    const Result<std::optional<std::string>> serving = co_await me.store().get(now_serving);
    if (!serving) co_return;
    if (serving->value_or("1") == std::to_string(mine)) break;
    me.reach(in_vain, woken);
    const TimePoint until = me.time().now() + std::chrono::seconds{10};
    const Result<bool> rang = co_await me.store().await_message(heard, until);
    woken = rang && *rang;
    if (!woken) co_return;
  }
  me.enter(foo);
  co_await me.leave(foo);
  const std::string next = std::to_string(mine + 1);
  const Result<std::monostate> moved = co_await me.store().set(now_serving, next);
  if (!moved) co_return;
  const Channel next_turn = turn_of(mine + 1);
  const std::string nothing;
  static_cast<void>(co_await me.store().publish(next_turn, nothing));
}

Scenario make(const Program& client) {
  Scenario scenario = world();
  scenario.clients(3, client)
      .require(mutual_exclusion(foo))
      .require(never(in_vain, "wake a client that does not get the lock then"));
  return scenario;
}

}  // namespace

Entries thundering_herd() {
  return {
      {
          .name = "thundering-herd",
          .family = Family::waiting,
          .summary = "one release wakes every waiter, and all but one are refused",
          .protocol = "subscribing lock",
          .make =
              [](const Bounds&) { return make([](Client& me) { return one_bell(me, false); }); },
          .expected = violated("never is woken in vain", 10),
          .explanation = R"(All three subscribe to one channel. C releases in step 7 (C RELEASE)
and publishes there, which wakes everybody who waits. A is there first, in step 8 (A CLAIM). B
wakes in step 9 (B wakes), asks in step 10 (B CLAIM), and is refused. With a hundred waiters, each
release costs ninety-nine such requests.)",
          .fix = "call one waiter: a queue, and a channel for each place in it",
          .repairs = {{"thundering-herd-repaired",
                       "a ticket for each waiter, and a channel for each ticket", true,
                       "A release wakes the one whose turn it is."},
                      {"thundering-herd-pause", "a random pause before the try", false,
                       "It spreads the tries, and saves none."}},
          .sources = {"Apache ZooKeeper recipes: locks and the herd effect"},
      },
      {
          .name = "thundering-herd-repaired",
          .family = Family::waiting,
          .summary = "tickets: a release calls the one whose turn it is",
          .protocol = "ticket lock",
          .make = [](const Bounds&) { return make(own_bell); },
          .expected = proved,
          .explanation =
              "Nobody is woken for somebody else's turn. What this smallest of queues does not "
              "survive is a client that crashes while it waits: see dead-waiter-at-head.",
          .repairs_what = "thundering-herd",
      },
      {
          .name = "thundering-herd-pause",
          .family = Family::waiting,
          .summary = "a random pause before each try: the herd is spread, and as many are refused",
          .protocol = "subscribing lock",
          .make =
              [](const Bounds&) {
                Scenario scenario = make([](Client& me) { return one_bell(me, true); });
                scenario.instants(2);
                return scenario;
              },
          .expected = violated("never is woken in vain", 10),
          .explanation =
              R"(C releases in step 7 (C RELEASE), and everybody who waits is woken. A has
drawn no pause and is there first, in step 8 (A CLAIM). B wakes in step 9 (B wakes) and asks in step 10
(B CLAIM), in vain, as it would have after a pause: pauses do not change how many ask.)",
          .repairs_what = "thundering-herd",
      }};
}

}  // namespace interlock::sim::catalogue
