#include "store_access.hpp"

#include <future>
#include <utility>

#include "interlock/detail/wake_up_channel.hpp"
#include "interlock/holder_note.hpp"
#include "interlock/local_clock.hpp"

namespace interlock {
AcquireOptions at_the_store(const LockOptions& options) {
  AcquireOptions result(options.ttl);
  result.wait = options.wait;
  // A lease that begins with an offer ends soon.
  result.takes_offers = options.enters_by_offer && options.renew && !options.whole_ttl;
  return result;
}

StoreAccess::StoreAccess(Backend& backend,
                         std::unique_ptr<KeyValueStore> store,
                         EventLoop& loop,
                         TaskGroup& tasks,
                         const BlockingCalls& calls,
                         const ClientOptions& options,
                         std::function<void()> on_recall)
    : loop_(loop),
      tasks_(tasks),
      calls_(calls),
      options_(options),
      store_(std::move(store)),
      kinds_(store_,
             loop,
             tokens_,
             options,
             backend,
             [this](LockKind kind, Lease lease) { unfinished_.add(kind, std::move(lease)); }),
      unfinished_(tasks, kinds_),
      queued_(loop, options.queue_policy.claim_window),
      recalls_(store_, loop, tasks, options.wait_policy, tokens_.fresh(), std::move(on_recall)),
      sessions_(backend, tokens_, options, loop, [this](LockKind kind, Lease lease) {
        unfinished_.add(kind, std::move(lease));
      }) {}

void StoreAccess::begin() {
  queued_.begin();
  sessions_.begin();
}

void StoreAccess::end() {
  unfinished_.end();
  queued_.end();
  recalls_.end();
  sessions_.end();
  store_.close();
}

// --- acquire -------------------------------------------------------------------------------------

Result<AcquireOutcome> StoreAccess::acquire(const LockName& name,
                                            const LockOptions& options,
                                            FirstRequest first,
                                            Keeps keeps,
                                            std::optional<TimePoint> told_waiting) {
  const TimePoint began = local_now();
  const LockKind kind = kind_of(options);
  AcquireOptions rest = at_the_store(options);
  rest.wanted_since = told_waiting.value_or(began);
  rest.has_told_waiting = told_waiting.has_value();
  OwnerToken owner = fresh_owner(options, keeps);
  const bool waits = !options.wait || *options.wait > Duration::zero();
  // A try would most likely be wasted: others of this client queue already, or hold it, or it was
  // busy a moment ago.
  const bool queues = waits && protocol(kind).has_queue();
  if (queues && (first == FirstRequest::queues || queued_.is_busy(name, began))) {
    return wait_on_loop(name, std::move(owner), kind, rest, options.stop);
  }
  std::optional<Result<AcquireOutcome>> outcome;
  {
    SessionPool::Borrowed session = sessions_.borrow();
    if (session) {
      AcquireOptions one_try(options.ttl);
      one_try.wait = Duration::zero();
      one_try.wanted_since = rest.wanted_since;
      outcome = run(session.client(kind).acquire(name, owner, one_try));
    }
  }
  const bool is_busy = outcome && *outcome && std::holds_alternative<Busy>(**outcome);
  if (queues && is_busy) queued_.found_busy(name, local_now());
  // The connection goes back first, because waiting is done on the loop.
  if (!outcome) return wait_on_loop(name, std::move(owner), kind, rest, options.stop);
  const bool is_patient = options_.wait_policy.outage_limit > Duration::zero();
  const bool is_decided = *outcome ? std::holds_alternative<Lease>(**outcome)
                                   : !is_patient || !is_out_of_reach(outcome->error());
  if (!waits || is_decided) return *std::move(outcome);
  if (rest.wait) {
    *rest.wait -= local_now() - began;
    if (*rest.wait <= Duration::zero()) return *std::move(outcome);
  }
  // After a failure the next claim has another owner token: this one's claim was withdrawn, and the
  // withdrawal may reach the store only after the next claim.
  if (!*outcome) owner = fresh_owner(options, keeps);
  return wait_on_loop(name, std::move(owner), kind, rest, options.stop);
}

OwnerToken StoreAccess::fresh_owner(const LockOptions& options, Keeps keeps) {
  if (!options.note.empty()) return fresh_owner_with_note(options);
  if (options.permits) return tokens_.fresh_with(options.permits->mark());
  const std::string_view mark = protocol(kind_of(options)).owner_mark();
  if (keeps == Keeps::no) return tokens_.fresh_with(mark);
  return tokens_.fresh_with(detail::keep_mark_with(recalls_.channel()).append(mark));
}

// It keeps no grants: see Cohort::may_keep().
OwnerToken StoreAccess::fresh_owner_with_note(const LockOptions& options) {
  std::string end = HolderNote::in_token(options.note);
  if (options.permits) {
    end += options.permits->mark();
  } else {
    end += protocol(kind_of(options)).owner_mark();
  }
  return tokens_.fresh_with(end);
}

// One thread that waits in a blocking call, and the coroutine that waits for it.
class StoreAccess::Waiter {
 public:
  Waiter(LockName of, OwnerToken by, LockKind to_take, const AcquireOptions& with)
      : name(std::move(of)), owner(std::move(by)), kind(to_take), options(with) {}
  LockName name;
  OwnerToken owner;
  LockKind kind;
  AcquireOptions options;
  Cancellation cancellation;
  std::promise<Result<AcquireOutcome>> result;
};

Task<void> StoreAccess::wait(std::shared_ptr<Waiter> waiter) {
  LockClient& client = kinds_.client(waiter->kind);
  Result<AcquireOutcome> outcome =
      co_await client.acquire(waiter->name, waiter->owner, waiter->options, &waiter->cancellation);
  waiter->result.set_value(std::move(outcome));
}

Result<AcquireOutcome> StoreAccess::wait_on_loop(const LockName& name,
                                                 OwnerToken owner,
                                                 LockKind kind,
                                                 const AcquireOptions& options,
                                                 const std::stop_token& stop) {
  const auto waiter = std::make_shared<Waiter>(name, std::move(owner), kind, options);
  const std::shared_ptr<Cancellation> cancellation(waiter, &waiter->cancellation);
  std::optional<QueuedWaiters::QueuedCaller> place;
  if (protocol(kind).has_queue()) place.emplace(queued_, name, cancellation);
  std::future<Result<AcquireOutcome>> result = waiter->result.get_future();
  tasks_.spawn(wait(waiter));
  const auto give_up = [&] { loop_.post([waiter] { waiter->cancellation.request(); }); };
  const std::stop_callback on_stop(stop, give_up);
  const std::stop_callback on_close(calls_.close_token(), give_up);

  Result<AcquireOutcome> outcome = result.get();
  const Lease* const lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  const bool was_busy = lease == nullptr || lease->is_by_offer() || lease->others_queue();
  if (place && was_busy) queued_.found_busy(name, local_now());
  return outcome;
}

// No coroutine, which would have a frame for each lock in flight.
Task<Result<AcquireOutcome>> StoreAccess::acquire_async(
    std::optional<QueuedWaiters::QueuedCaller>& place,
    LockName name,
    const LockOptions& options,
    const std::shared_ptr<Cancellation>& cancellation,
    std::optional<TimePoint> told_waiting) {
  const LockKind kind = kind_of(options);
  AcquireOptions at_store = at_the_store(options);
  at_store.wanted_since = told_waiting;
  at_store.has_told_waiting = told_waiting.has_value();
  if (protocol(kind).has_queue() && !place) place.emplace(queued_, name, cancellation);
  return kinds_.client(kind).acquire(std::move(name), fresh_owner(options, Keeps::no), at_store,
                                     cancellation.get());
}

// --- release -------------------------------------------------------------------------------------

std::optional<Result<ReleaseOutcome>> StoreAccess::release_here(LockKind kind, const Lease& lease) {
  SessionPool::Borrowed session = sessions_.borrow();
  if (!session) return std::nullopt;
  return run(session.client(kind).release(lease));
}

bool StoreAccess::release_soon(LockKind kind, const Lease& lease) {
  SessionPool::Borrowed session = sessions_.borrow();
  if (!session) return false;
  session.release_soon(kind, lease);
  return true;
}

Result<ReleaseOutcome> StoreAccess::release(LockKind kind, const Lease& lease) {
  if (auto outcome = release_here(kind, lease)) return *std::move(outcome);
  const auto promise = std::make_shared<std::promise<Result<ReleaseOutcome>>>();
  const auto send = [](LockClient* client, Lease of, decltype(promise) to) -> Task<void> {
    Result<ReleaseOutcome> outcome = co_await client->release(std::move(of));
    to->set_value(std::move(outcome));
  };
  std::future<Result<ReleaseOutcome>> result = promise->get_future();
  tasks_.spawn(send(&kinds_.client(kind), lease, promise));
  return result.get();
}

Task<Result<ReleaseOutcome>> StoreAccess::release_async(LockKind kind, Lease lease) {
  return kinds_.client(kind).release(std::move(lease));
}

void StoreAccess::wait_for_unfinished_releases(Duration limit) {
  sessions_.take_answers(limit);
  unfinished_.wait(limit);
}

void StoreAccess::on_released(LockKind kind, const LockName& name) {
  if (protocol(kind).has_queue()) queued_.recheck_after_offer(name, local_now());
}

}  // namespace interlock
