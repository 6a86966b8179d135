#include "interlock/store/lock_keys.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Channel bell = release_channel(Key(foo));

// Waits for the bell, or until ten seconds have passed, which here is for ever.
Task<void> wait_for_bell(Client& me, SubscriptionId subscription) {
  const TimePoint until = me.time().now() + std::chrono::seconds{10};
  static_cast<void>(co_await me.store().await_message(subscription, until));
  static_cast<void>(co_await me.store().unsubscribe(subscription));
}

enum class Looks : std::uint8_t { once, twice, after_subscribing };
Task<void> visit(Client& me, Looks looks) {
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{60}};
  const Result<ClaimReply> first = co_await me.store().claim(Key(foo), owner, ttl);
  bool mine = first && std::holds_alternative<Claimed>(*first);
  if (!mine && looks == Looks::twice) {
    const Result<ClaimReply> second = co_await me.store().claim(Key(foo), owner, ttl);
    mine = second && std::holds_alternative<Claimed>(*second);
  }
  if (!mine) {
    const Result<SubscriptionId> subscription = co_await me.store().subscribe(bell);
    if (!subscription) co_return;
    const SubscriptionId heard = *subscription;
    if (looks == Looks::after_subscribing) {
      const Result<ClaimReply> again = co_await me.store().claim(Key(foo), owner, ttl);
      mine = again && std::holds_alternative<Claimed>(*again);
    }
    if (!mine) {
      co_await wait_for_bell(me, heard);
      const Result<ClaimReply> last = co_await me.store().claim(Key(foo), owner, ttl);
      mine = last && std::holds_alternative<Claimed>(*last);
    }
  }
  if (!mine) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario make(Looks looks) {
  Scenario scenario = world();
  scenario.clients(2, [=](Client& me) { return visit(me, looks); }).require(no_lost_wake_up(foo));
  return scenario;
}

}  // namespace

Entries lost_wakeup() {
  return {
      {
          .name = "lost-wakeup",
          .family = Family::waiting,
          .summary = "the release is announced between look and subscription: the message is lost",
          .protocol = "subscribing lock",
          .make = [](const Bounds&) { return make(Looks::once); },
          .expected = violated("no lost wake-up on lock.foo", 5),
          .explanation = R"(B is refused in step 2 (B CLAIM), because A has the lock. A releases
in step 4 (A RELEASE) and announces it, and nobody listens yet. B subscribes in step 5 (B
SUBSCRIBE), acting on what it was told in step 2 (B CLAIM), and waits for an announcement that has
been made.)",
          .stale = Stale{2, 5},
          .fix = "subscribe first, then try once more, then wait",
          .repairs =
              {{"lost-wakeup-repaired", "try once more after the subscription stands", true,
                "A release before the subscription is seen by the try; one after it is heard."},
               {"lost-wakeup-recheck", "try once more before subscribing", false,
                "The release may come after the second try as well as after the first."}},
          .sources = {"redisson#5761"},
      },
      {
          .name = "lost-wakeup-repaired",
          .family = Family::waiting,
          .summary = "subscribe, try once more, then wait",
          .protocol = "subscribing lock",
          .make = [](const Bounds&) { return make(Looks::after_subscribing); },
          .expected = proved,
          .explanation =
              "Between the last try and the wait there is no moment without a subscription.",
          .repairs_what = "lost-wakeup",
      },
      {
          .name = "lost-wakeup-recheck",
          .family = Family::waiting,
          .summary = "a second try before the subscription: the release comes after that one",
          .protocol = "subscribing lock",
          .make = [](const Bounds&) { return make(Looks::twice); },
          .expected = violated("no lost wake-up on lock.foo", 6),
          .explanation = R"(B tries a second time in step 4 (B CLAIM), and A still has the lock. A
releases in step 5 (A RELEASE) and announces it, and nobody listens yet. B subscribes in step 6 (B
SUBSCRIBE). However often one looks before one listens: after the last look there is room.)",
          .stale = Stale{4, 6},
          .repairs_what = "lost-wakeup",
      }};
}

}  // namespace interlock::sim::catalogue
