#include "interlock/lock_client.hpp"

#include <algorithm>
#include <utility>

#include "deadline.hpp"
#include "interlock/detail/wake_up_channel.hpp"
#include "interlock/store/lock_keys.hpp"
#include "perhaps_held.hpp"

namespace interlock {
namespace {

// What ended the wait is told, unless the claim could not be withdrawn for the same reason.
Error perhaps_still_held(const LockName& name, const Error& ended_by, const Error& not_withdrawn) {
  const std::string why = is_out_of_reach(ended_by) ? "" : ended_by.detail() + ", and ";
  return {Errc::indeterminate, "acquiring '" + name.text() + "': " + why +
                                   "a claim that went unanswered could not be withdrawn (" +
                                   without_perhaps_held(not_withdrawn.detail()) + ")" +
                                   std::string(perhaps_held)};
}

}  // namespace

// One acquire under way.
class LockClient::Attempt {
 public:
  Attempt(
      LockName of, OwnerToken by, AcquireOptions with, Cancellation* cancelled_by, TimePoint now)
      : name(std::move(of)),
        owner(std::move(by)),
        ttl(with.ttl),
        takes_offers(with.takes_offers),
        cancellation(cancelled_by),
        began(now),
        wanted_since(with.wanted_since.value_or(now)),
        caller_has_told_waiting(with.has_told_waiting) {
    // A wait beyond the clock's last instant has no end.
    const TimePoint end = with.wait ? instant_after(now, *with.wait) : TimePoint::max();
    if (end < TimePoint::max()) deadline = end;
  }

  bool cancelled() const { return cancellation != nullptr && cancellation->requested(); }
  bool over(TimePoint now) const { return deadline && now >= *deadline; }
  bool is_one_try() const { return deadline && *deadline <= began; }
  TimePoint at_most_deadline(TimePoint until) const {
    return deadline ? std::min(until, *deadline) : until;
  }

  // The error, and for how long the acquire has tried.
  Error gave_up(const Error& error, TimePoint now) const {
    const auto tried = std::chrono::round<std::chrono::seconds>(now - *outage_since);
    if (tried < std::chrono::seconds{1}) return error;
    return {error.code(), error.detail() + " (tried for " + std::to_string(tried.count()) + " s)"};
  }

  LockName name;
  OwnerToken owner;
  Ttl ttl;
  bool takes_offers;
  Cancellation* cancellation;
  TimePoint began;
  TimePoint wanted_since;  // as the events count it
  bool caller_has_told_waiting;
  bool has_told_waiting = false;
  std::optional<TimePoint> deadline;

  std::optional<SubscriptionId> subscription;
  Duration pause_after_release{0};       // grows with each release that another waiter used
  std::optional<WakeUpChannel> wake_up;  // of a waiter in a queue
  bool has_no_channel = false;           // it could not get a wake-up channel
  bool queued = false;                   // it has, or may have, a place in the queue
  bool reached_store = false;
  bool may_be_held = false;  // a claim went unanswered
  std::optional<TimePoint> outage_since;
  Duration backoff{0};
};

Task<Result<AcquireOutcome>> LockClient::acquire(LockName name,
                                                 AcquireOptions options,
                                                 Cancellation* cancellation) {
  return acquire(std::move(name), tokens_.fresh_with(protocol_.owner_mark()), options,
                 cancellation);
}

Task<Result<AcquireOutcome>> LockClient::acquire(LockName name,
                                                 OwnerToken owner,
                                                 AcquireOptions options,
                                                 Cancellation* cancellation) {
  if (is_finishing(name, owner)) {
    co_return Error(Errc::invalid_argument,
                    "acquiring '" + name.text() +
                        "': a release of this owner is still under way: use a fresh owner token");
  }
  Attempt attempt(std::move(name), std::move(owner), options, cancellation, time_.now());
  Result<AcquireOutcome> outcome = co_await wait_and_try(&attempt);
  tell_wait_ended(attempt);

  if (attempt.subscription) co_await end_subscription(&attempt);
  const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (lease == nullptr && (attempt.may_be_held || attempt.queued)) {
    const std::optional<Error> not_withdrawn = co_await withdraw(&attempt);
    // Whatever ended the wait, the caller must know that the lock may be held. A place in the queue
    // that could not be given up costs the others one claim window.
    if (not_withdrawn && attempt.may_be_held && !outcome) {
      outcome = perhaps_still_held(attempt.name, outcome.error(), *not_withdrawn);
    }
  }
  // Only after the place was given up: until then messages for that place may come, and the next
  // waiter on the same wake-up channel would take them for its own.
  if (attempt.wake_up) co_await give_back_channel(&attempt);
  if (lease != nullptr) tell_acquired(attempt, *lease);
  co_return outcome;
}

// Apart, because a frame keeps room for all that it may ever send, and thousands may be in flight.
Task<void> LockClient::end_subscription(Attempt* attempt) {
  // A failure is ignored: a store that cannot be reached has dropped the subscription.
  static_cast<void>(co_await store_.unsubscribe(*attempt->subscription));
}

Task<Result<AcquireOutcome>> LockClient::wait_and_try(Attempt* attempt) {
  for (;;) {
    if (attempt->cancelled()) co_return Error(Errc::cancelled, "the wait was cancelled");

    const bool may_wait = protocol_.has_queue() && !attempt->is_one_try();
    if (listens_elsewhere(*attempt)) co_await leave_channel(attempt);
    if (may_wait && may_find_channel(*attempt)) co_await find_channel(attempt);
    Result<AcquireOutcome> outcome = co_await ask(*attempt);
    if (outcome) {
      attempt->reached_store = true;
      attempt->outage_since.reset();
      const auto* busy = std::get_if<Busy>(&*outcome);
      if (busy == nullptr || attempt->over(time_.now())) co_return outcome;
      if (attempt->cancelled()) continue;
      const Busy seen = *busy;
      if (protocol_.has_queue()) {
        std::optional<Lease> offered = co_await wait_in_queue(attempt, seen);
        if (offered && !attempt->cancelled()) co_return AcquireOutcome(*std::move(offered));
      } else {
        co_await wait_for_release(attempt, seen);
      }
      continue;
    }

    const Error error = outcome.error();
    attempt->may_be_held = attempt->may_be_held || error.code() == Errc::indeterminate;
    if (!is_out_of_reach(error)) co_return outcome;
    const bool keep_trying = co_await wait_out_outage(attempt, error);
    if (!keep_trying) co_return attempt->gave_up(error, time_.now());
  }
}

// The first try has no wake-up channel and takes no place: most locks are free, and then no
// subscription is needed.
Task<Result<AcquireOutcome>> LockClient::ask(Attempt& attempt) {
  if (!attempt.wake_up && !attempt.has_no_channel) {
    return protocol_.try_acquire(attempt.name, attempt.owner, attempt.ttl);
  }
  const Asks asks = std::exchange(attempt.queued, true) ? Asks::again : Asks::first;
  std::optional<Channel> wake_up;
  if (attempt.wake_up) wake_up = attempt.wake_up->channel;
  return protocol_.queue_up(attempt.name, attempt.owner, attempt.ttl, std::move(wake_up), asks);
}

// A new channel is made only for an attempt that has been told to wait.
bool LockClient::may_find_channel(const Attempt& attempt) {
  if (attempt.wake_up) return false;
  if (attempt.reached_store) return true;
  return !idle_channels_.empty() &&
         idle_channel_at(store_.server_of(lock_key(attempt.name))) != idle_channels_.end();
}

std::vector<LockClient::WakeUpChannel>::iterator LockClient::idle_channel_at(std::uint32_t server) {
  return std::find_if(idle_channels_.begin(), idle_channels_.end(),
                      [&](const WakeUpChannel& each) { return each.server == server; });
}

// Takes an idle channel, or makes one; only if may_find_channel().
Task<void> LockClient::find_channel(Attempt* attempt) {
  const std::uint32_t server = store_.server_of(lock_key(attempt->name));
  const auto idle = idle_channel_at(server);
  if (idle != idle_channels_.end()) {
    attempt->wake_up = std::move(*idle);
    if (idle != idle_channels_.end() - 1) *idle = std::move(idle_channels_.back());
    idle_channels_.pop_back();
    co_return;
  }
  const Channel channel = detail::wake_up_channel_of(tokens_.fresh());
  const Result<SubscriptionId> subscribed =
      co_await store_.subscribe_to_texts(channel, attempt->name.keys().all());
  attempt->has_no_channel = !subscribed;
  if (subscribed) {
    WakeUpChannel wake_up;
    wake_up.subscription = *subscribed;
    wake_up.channel = channel;
    wake_up.server = server;
    attempt->wake_up = std::move(wake_up);
  } else {
    tell_error(*attempt, subscribed.error());
  }
}

// A cluster has moved the lock: a release at its present server would not see this listener.
bool LockClient::listens_elsewhere(const Attempt& attempt) {
  return attempt.wake_up && attempt.wake_up->server != store_.server_of(lock_key(attempt.name));
}

Task<void> LockClient::leave_channel(Attempt* attempt) {
  // Not kept for another waiter, because messages for this one's place in the queue may still come.
  const SubscriptionId left = attempt->wake_up->subscription;
  attempt->wake_up.reset();
  static_cast<void>(co_await store_.unsubscribe(left));
}

Task<void> LockClient::give_back_channel(Attempt* attempt) {
  if (idle_channels_.size() < policy_.idle_wake_up_channels) {
    idle_channels_.push_back(std::move(*attempt->wake_up));
    co_return;
  }
  static_cast<void>(co_await store_.unsubscribe(attempt->wake_up->subscription));
}

// The lease of an offer, if one was heard of and is still good; otherwise the attempt asks again.
Task<std::optional<Lease>> LockClient::wait_in_queue(Attempt* attempt, Busy busy) {
  // The attempt has no place yet: returns, so that the next try takes one.
  if (!attempt->queued) co_return std::nullopt;
  tell_waiting(*attempt, busy);
  Duration pause = policy_.recheck_interval;
  if (busy.remaining) pause = std::min(*busy.remaining, Ttl::longest) + milliseconds{1};
  // No message will come: the holder does not hand over, or this attempt has no wake-up channel.
  if (!busy.holder.hands_over() || attempt->has_no_channel) {
    pause = std::min(pause, jittered(policy_.poll_interval));
  }
  const TimePoint until = attempt->at_most_deadline(time_.now() + pause);
  if (!attempt->wake_up) {
    co_await sleep(attempt, until);
    co_return std::nullopt;
  }
  const Result<Heard> heard = co_await hear_or_look(attempt, until);
  if (heard) co_return take_offer(*attempt, busy, *heard);
  // The subscription has ended with its connection. The next round makes another.
  attempt->wake_up.reset();
  tell_error(*attempt, heard.error());
  co_await sleep(attempt, time_.now() + jittered(policy_.backoff_first));
  co_return std::nullopt;
}

std::optional<Lease> LockClient::take_offer(const Attempt& attempt,
                                            const Busy& answer,
                                            const Heard& heard) {
  if (!attempt.takes_offers || !heard.text) return std::nullopt;
  return protocol_.lease_by_message(attempt.name, attempt.owner, attempt.ttl, answer, *heard.text);
}

Task<bool> LockClient::wait_out_outage(Attempt* attempt, Error error) {
  const TimePoint now = time_.now();
  if (!attempt->outage_since) {
    attempt->outage_since = now;
    attempt->backoff = policy_.backoff_first;
  }
  if (now - *attempt->outage_since >= policy_.outage_limit || attempt->over(now)) co_return false;

  tell_error(*attempt, error);
  co_await sleep(attempt, now + jittered(attempt->backoff));
  attempt->backoff = std::min(attempt->backoff * 2, policy_.backoff_longest);
  co_return true;
}

Task<void> LockClient::wait_for_release(Attempt* attempt, Busy busy) {
  // A store expires keys strictly after their last millisecond. The remaining time was counted when
  // the store answered, so a wait for a holder that dies ends late by the time that the answer
  // took, at most the store's command timeout, and never early. A foreign key may never expire; no
  // wait needs to be longer than the longest lease.
  std::optional<Duration> holder_ends;
  if (busy.remaining) holder_ends = std::min(*busy.remaining, Ttl::longest) + milliseconds{1};
  const std::optional<Channel> channel = protocol_.release_channel(attempt->name);
  if (!channel || !busy.holder.announces_release()) {
    Duration pause = jittered(policy_.poll_interval);
    if (holder_ends) pause = std::min(pause, *holder_ends);
    tell_waiting(*attempt, busy);
    co_await sleep(attempt, time_.now() + pause);
    co_return;
  }

  if (!attempt->subscription) {
    const Result<SubscriptionId> subscribed = co_await store_.subscribe(*channel);
    if (subscribed) {
      // Returns, so that the attempt tries again before it waits: the release may have come before
      // the subscription.
      attempt->subscription = *subscribed;
    } else {
      tell_error(*attempt, subscribed.error());
      co_await sleep(attempt, time_.now() + jittered(policy_.poll_interval));
    }
    co_return;
  }

  tell_waiting(*attempt, busy);
  // No message announces that a key was deleted by hand or evicted, so the waiter must look.
  Duration pause = jittered(policy_.recheck_interval);
  if (holder_ends) pause = std::min(pause, *holder_ends);
  const TimePoint until = attempt->at_most_deadline(time_.now() + pause);
  const Result<Heard> heard = co_await hear(attempt, until);
  if (!heard) {
    // The subscription has ended with its connection. The next round makes a new one.
    attempt->subscription.reset();
    tell_error(*attempt, heard.error());
    co_await sleep(attempt, time_.now() + jittered(policy_.backoff_first));
  } else if (heard->heard) {
    co_await pause_after_release(attempt);
  }
}

// The first release is used at once: with few waiters a pause would only leave the lock idle.
Task<void> LockClient::pause_after_release(Attempt* attempt) {
  constexpr Duration first = milliseconds{1};
  Duration& pause = attempt->pause_after_release;
  if (policy_.jitter && pause > Duration::zero()) {
    const auto longest = static_cast<std::uint64_t>(pause.count());
    const Duration drawn(static_cast<std::int64_t>(tokens_.below(longest + 1)));
    co_await sleep(attempt, time_.now() + drawn);
  }
  pause = std::min(std::max(pause * 2, first), policy_.longest_pause_after_release);
}

void LockClient::tell_acquired(const Attempt& attempt, const Lease& lease) const {
  if (events_ == nullptr) return;
  Event event(EventKind::acquired, lease);
  event.took = time_.now() - attempt.wanted_since;
  events_->on_event(event);
}

void LockClient::tell_waiting(Attempt& attempt, const Busy& busy) const {
  if (events_ == nullptr) return;
  Event event(EventKind::waiting, attempt.name);
  event.owner = attempt.owner;
  event.busy = busy;
  event.took = time_.now() - attempt.wanted_since;
  const bool has_told = std::exchange(attempt.has_told_waiting, true);
  event.again = has_told || attempt.caller_has_told_waiting;
  events_->on_event(event);
}

void LockClient::tell_wait_ended(const Attempt& attempt) const {
  if (events_ == nullptr || !attempt.has_told_waiting || attempt.caller_has_told_waiting) {
    return;
  }
  events_->on_event(Event(EventKind::wait_ended, attempt.name));
}

// Looks whether the lock is still held by asking for its remaining ttl, not by claiming: if
// thousands wait, each claim would search the queue for its place.
Task<Result<Heard>> LockClient::hear_or_look(Attempt* attempt, TimePoint until) {
  for (;;) {
    const TimePoint look = std::min(until, time_.now() + jittered(policy_.recheck_interval));
    const Result<Heard> heard = co_await hear(attempt, look);
    // Before that time the wait ends only if rouse() wants the caller to look.
    if (!heard || heard->heard || look == until || time_.now() < look) co_return heard;
    const Result<Remaining> left = co_await store_.remaining(lock_key(attempt->name));
    if (!left || left->state == Remaining::Expiry::absent) co_return Heard();
    if (listens_elsewhere(*attempt)) co_return Heard();
  }
}

Task<Result<Heard>> LockClient::hear(Attempt* attempt, TimePoint until) {
  Operation interruption(OperationKind::interrupt);
  const SubscriptionId subscription =
      attempt->wake_up ? attempt->wake_up->subscription : *attempt->subscription;
  interruption.subscription = subscription;
  PendingOperation interrupt(std::move(interruption));
  const Cancellation::Waiting waiting(attempt->cancellation,
                                      [&] { static_cast<void>(store_.submit(interrupt)); });
  if (attempt->cancelled()) co_return Heard();
  co_return co_await store_.hear(subscription, until);
}

Task<void> LockClient::sleep(Attempt* attempt, TimePoint until) {
  return sleep_until(attempt->cancellation, attempt->at_most_deadline(until));
}

Task<void> LockClient::sleep_until(Cancellation* cancellation, TimePoint until) {
  TimeSource::SleepAwaiter nap = time_.sleep_until(until);
  const Cancellation::Waiting waiting(cancellation, [&] { time_.wake(nap); });
  if (cancellation != nullptr && cancellation->requested()) co_return;
  co_await nap;
}

// A claim that was sent and never answered must not exclude other clients for a ttl that no holder
// uses.
Task<std::optional<Error>> LockClient::withdraw(Attempt* attempt) {
  const Lease unconfirmed(attempt->name, attempt->owner, FencingToken(), attempt->ttl,
                          attempt->began, SafetyMargin());
  const Result<ReleaseOutcome> released = co_await protocol_.release(unconfirmed);
  if (released) co_return std::nullopt;
  tell_error(*attempt, released.error());
  leave_behind(unconfirmed, released.error());
  co_return released.error();
}

Duration LockClient::jittered(Duration pause) {
  if (!policy_.jitter || pause.count() < 2) return pause;
  const auto half = static_cast<std::uint64_t>(pause.count() / 2);
  return pause - Duration(static_cast<std::int64_t>(tokens_.below(half + 1)));
}

void LockClient::tell_error(const Attempt& attempt, const Error& error) const {
  if (events_ == nullptr) return;
  Event event(EventKind::error, attempt.name);
  event.owner = attempt.owner;
  event.error = error;
  events_->on_event(event);
}

}  // namespace interlock
