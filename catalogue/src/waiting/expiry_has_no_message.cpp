#include "interlock/store/lock_keys.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// The holder has crashed; its key ends at 102 s. Nobody announces that.
Task<void> wait_for_release(Client& me, bool minds_expiry) {
  me.wants(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{60}};
  const Channel bell = release_channel(Key(foo));
  const Result<SubscriptionId> subscription = co_await me.store().subscribe(bell);
  if (!subscription) co_return;
  const SubscriptionId heard = *subscription;
  TimePoint until = TimePoint::max();
  for (;;) {
    const TimePoint sent = me.time().now();
    const Result<ClaimReply> reply = co_await me.store().claim(Key(foo), owner, ttl);
    if (!reply) co_return;
    if (std::holds_alternative<Claimed>(*reply)) break;
    const Busy held = std::get<Busy>(*reply);
    // Counted from before the claim was sent: it may end the wait too early, never too late. A key
    // lasts until its expiry, that instant included.
    if (minds_expiry && held.remaining) {
      until = sent + *held.remaining + milliseconds{1};
    }
    static_cast<void>(co_await me.store().await_message(heard, until));
  }
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario make(bool minds_expiry) {
  Scenario scenario = world(6);
  scenario.client([=](Client& me) { return wait_for_release(me, minds_expiry); })
      .initially(Key(foo), interlock::Entry("il1:crashed", milliseconds{102'000}))
      .require(every_waiter_acquires(foo));
  return scenario;
}

}  // namespace

Entries expiry_has_no_message() {
  return {
      {
          .name = "expiry-has-no-message",
          .family = Family::waiting,
          .summary =
              "a key that expires sends no message: a client that waits for one waits for ever",
          .protocol = "subscribing lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("no deadlock", 2),
          .explanation = R"(The holder has crashed, and its key ends at 102 s. A subscribes in
step 1 (A SUBSCRIBE), is refused in step 2 (A CLAIM), and waits for the announcement of a release.
Two seconds later the lock is free; expiry sends no message, and no client is left to send one.)",
          .fix = "wait for a message, but no longer than until the holder's key ends",
          .repairs = {{"expiry-has-no-message-repaired",
                       "bound the wait by what is left of the holder's ttl", true,
                       "Either somebody announces the release, or the key has ended by then."}},
          .sources = {"redisson#3730"},
      },
      {
          .name = "expiry-has-no-message-repaired",
          .family = Family::waiting,
          .summary = "a wait that is bounded by the holder's ttl",
          .protocol = "subscribing lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "The refused claim says how long the key still lasts; the wait ends when "
                         "the key does.",
          .repairs_what = "expiry-has-no-message",
      }};
}

}  // namespace interlock::sim::catalogue
