// Acquire with a time limit, and release: the part of a client that needs no thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "interlock/cancellation.hpp"
#include "interlock/events.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/policies.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"
#include "interlock/token_source.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class AcquireOptions {
 public:
  AcquireOptions() = default;
  explicit AcquireOptions(Ttl lasts) : ttl(lasts) {}

  Ttl ttl{std::chrono::seconds{30}};
  // None: for ever. Zero: one try.
  std::optional<Duration> wait;
  // True: the lease may end before its ttl would, because it begins with an offer
  // (LockProtocol::lease_by_message). At least half of the offer is left then. For callers that
  // renew it.
  bool takes_offers = false;
  // For the events. Since when the caller wants the lock, which `took` counts from; none: since the
  // call. And whether the caller has reported `waiting` by itself: it then reports `wait_ended`,
  // too.
  std::optional<TimePoint> wanted_since;
  bool has_told_waiting = false;
};

// For one thread, with any number of calls under way. All that the constructor gets must outlive
// it.
class LockClient {
 public:
  LockClient(KeyValueStore& store,
             LockProtocol& protocol,
             TimeSource& time,
             TokenSource& tokens,
             EventSink* events = nullptr,
             WaitPolicy policy = {})
      : store_(store),
        protocol_(protocol),
        time_(time),
        tokens_(tokens),
        events_(events),
        policy_(policy) {}

  // Tries until it is granted, the wait is over (then Busy says who holds it), or the caller gives
  // up (`cancelled`). Waiting costs one command in `recheck_interval` while the lock is held. It
  // ends with the holder's announcement, or at the end of the holder's remaining ttl. If a claim's
  // answer was lost, this releases it before it returns an error, as far as the store can be
  // reached; a claim that reaches the store only after that keeps the lock for one ttl. After a
  // wait it unsubscribes, and awaits the answer. `unavailable`: the store was out of reach for
  // `outage_limit`, or when the wait was over. `indeterminate`: a claim went unanswered, and the
  // lock may be held in this owner's name until its ttl ends; also when the wait was cancelled and
  // that claim could not be withdrawn. A wait of zero is one try, which takes as long as the
  // store's limits allow: a claim is sent up to three times and withdrawn up to three times. With a
  // queue, it gives up its place before it returns without the lock. An owner that has released a
  // lock, or tried to, must not claim it again: `invalid_argument` while finish_release() is busy
  // with it.
  Task<Result<AcquireOutcome>> acquire(LockName name,
                                       OwnerToken owner,
                                       AcquireOptions options,
                                       Cancellation* cancellation = nullptr);
  // The same with a fresh owner token.
  Task<Result<AcquireOutcome>> acquire(LockName name,
                                       AcquireOptions options,
                                       Cancellation* cancellation = nullptr);

  // Releases, and notifies the event sink. Answers as LockProtocol::release does: soon, also when
  // the store is out of reach (`unavailable`, `indeterminate`); finish_release() goes on then.
  Task<Result<ReleaseOutcome>> release(Lease lease);

  // Finishes a release that failed because the store was out of reach: tries again, after pauses of
  // `backoff_first` to `backoff_longest`, until the store has answered or the lease has ended in
  // the store as well, one ttl and its margin from now at the latest. The caller must not renew the
  // lease any more. Notifies the event sink of the end.
  Task<void> finish_release(Lease lease, Cancellation* cancellation = nullptr);

  // `hook` is called with each lease that a release, or an acquire which gave up, could not release
  // because the store was out of reach, so that somebody can finish_release() it. It is called on
  // this client's thread, from inside the call that failed.
  using LeftBehind = std::function<void(Lease lease)>;
  void on_left_behind(LeftBehind hook) { left_behind_ = std::move(hook); }

 private:
  class Attempt;
  // A subscription to a channel of its own, for one waiter at a time.
  class WakeUpChannel {
   public:
    SubscriptionId subscription;
    Channel channel;
    std::uint32_t server;  // KeyValueStore::server_of()
  };
  Task<Result<AcquireOutcome>> wait_and_try(Attempt* attempt);
  Task<void> end_subscription(Attempt* attempt);
  Task<Result<AcquireOutcome>> ask(Attempt& attempt);
  Task<std::optional<Lease>> wait_in_queue(Attempt* attempt, Busy busy);
  bool may_find_channel(const Attempt& attempt);
  std::vector<WakeUpChannel>::iterator idle_channel_at(std::uint32_t server);
  Task<void> find_channel(Attempt* attempt);
  bool listens_elsewhere(const Attempt& attempt);
  Task<void> leave_channel(Attempt* attempt);
  Task<void> give_back_channel(Attempt* attempt);
  Task<void> wait_for_release(Attempt* attempt, Busy busy);
  Task<void> pause_after_release(Attempt* attempt);
  Task<bool> wait_out_outage(Attempt* attempt, Error error);
  Task<void> sleep(Attempt* attempt, TimePoint until);
  Task<void> sleep_until(Cancellation* cancellation, TimePoint until);
  std::optional<Lease> take_offer(const Attempt& attempt, const Busy& answer, const Heard& heard);
  Task<Result<Heard>> hear(Attempt* attempt, TimePoint until);
  Task<Result<Heard>> hear_or_look(Attempt* attempt, TimePoint until);
  Task<std::optional<Error>> withdraw(Attempt* attempt);
  Duration jittered(Duration pause);
  void tell_acquired(const Attempt& attempt, const Lease& lease) const;
  void tell_error(const Attempt& attempt, const Error& error) const;
  void tell_waiting(Attempt& attempt, const Busy& busy) const;
  void tell_wait_ended(const Attempt& attempt) const;
  void tell_release(const Lease& lease,
                    const Result<ReleaseOutcome>& outcome,
                    TimePoint began) const;
  bool is_finishing(const LockName& name, const OwnerToken& owner) const;
  void leave_behind(const Lease& lease, const Error& why) const;

  KeyValueStore& store_;
  LockProtocol& protocol_;
  TimeSource& time_;
  TokenSource& tokens_;
  EventSink* events_;
  WaitPolicy policy_;
  std::vector<WakeUpChannel> idle_channels_;
  std::vector<const Lease*> finishing_;
  LeftBehind left_behind_;
};

}  // namespace interlock

#pragma GCC visibility pop
