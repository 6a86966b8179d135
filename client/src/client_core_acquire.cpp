// How a client acquires: a try on the calling thread, and waiting on the loop.
#include <utility>

#include "client_core.hpp"
#include "interlock/local_clock.hpp"

namespace interlock {
namespace {

Error was_cancelled() {
  return {Errc::cancelled, "the wait was cancelled"};
}

}  // namespace

std::optional<Error> Client::Core::refuses_to_block(const char* what, const LockName& name) const {
  if (in_child()) return posix::used_in_child(what + (" '" + name.text()) + "'", "its client");
  if (!loop_->on_loop_thread()) return std::nullopt;
  return Error(Errc::invalid_argument,
               what + (" '" + name.text()) +
                   "': a blocking call on the client's own loop would wait for itself: co_await "
                   "the one that ends in _async there");
}

std::optional<Error> Client::Core::refuses_task(const char* what, const LockName& name) const {
  if (in_child()) return posix::used_in_child(what + (" '" + name.text()) + "'", "its client");
  if (loop_->on_loop_thread()) return std::nullopt;
  return Error(Errc::invalid_argument,
               what + (" '" + name.text()) +
                   "': a task of the client's was started outside of its loop: start it by spawn() "
                   "or wait_for()");
}

AcquireResult Client::Core::acquire(const LockName& name, const LockOptions& options) {
  if (auto error = refuses_to_block("acquiring", name)) return *std::move(error);
  const Call call(*this);
  if (!call || options.stop.stop_requested()) return was_cancelled();
  if (lines_up(options)) return acquire_in_line(name, options);
  return held_or_not(ask(name, options, First::tries), options);
}

Result<AcquireOutcome> Client::Core::ask(const LockName& name,
                                         const LockOptions& options,
                                         First first) {
  const TimePoint began = local_now();
  OwnerToken owner = fresh_owner(options);
  const bool waits = !options.wait || *options.wait > Duration::zero();
  // A try would be wasted: others of this client queue already, or hold it.
  const bool queues = first == First::queues || somebody_queues_for(name);
  if (options.fair && waits && queues) {
    return wait_on_loop(name, std::move(owner), options);
  }
  std::optional<Result<AcquireOutcome>> outcome;
  {
    Sessions::Borrowed session = sessions_.borrow();
    if (session) {
      AcquireOptions one_try(options.ttl);
      one_try.wait = Duration::zero();
      outcome = run(session.client(options.fair).acquire(name, owner, one_try));
    }
  }
  // The connection goes back before any waiting, which is the loop's business.
  if (!outcome) return wait_on_loop(name, std::move(owner), options);
  const bool is_patient = options_.wait_policy.outage_limit > Duration::zero();
  const bool is_decided = *outcome ? std::holds_alternative<Lease>(**outcome)
                                   : !is_patient || !is_out_of_reach(outcome->error());
  if (!waits || is_decided) return *std::move(outcome);
  LockOptions rest = options;
  if (rest.wait) {
    *rest.wait -= local_now() - began;
    if (*rest.wait <= Duration::zero()) return *std::move(outcome);
  }
  // After a failure the next claim has another owner token: this one's claim was withdrawn, and the
  // withdrawal may reach the store only after the next claim.
  if (!*outcome) owner = fresh_owner(options);
  return wait_on_loop(name, std::move(owner), rest);
}

OwnerToken Client::Core::fresh_owner(const LockOptions& options) {
  OwnerToken owner = tokens_.fresh();
  return options.fair ? queue_protocol_.owner(std::move(owner)) : owner;
}

AcquireResult Client::Core::held_or_not(Result<AcquireOutcome> outcome,
                                        const LockOptions& options,
                                        std::optional<TimePoint> line_waits_until) {
  if (!outcome) return std::move(outcome).error();
  if (auto* busy = std::get_if<Busy>(&*outcome)) return std::move(*busy);
  return hold(std::get<Lease>(*std::move(outcome)), options, line_waits_until);
}

AcquireResult Client::Core::hold(Lease lease,
                                 const LockOptions& options,
                                 std::optional<TimePoint> line_waits_until) {
  auto holding =
      std::make_shared<Holding>(*this, std::move(lease), options.renew, line_waits_until);
  const TimePoint due = holding->due();
  bool arm = false;
  {
    const std::lock_guard lock(mutex_);
    holding->place = held_.emplace(due, holding);
    arm = due < intake_at_;
    if (arm) intake_at_ = due;
  }
  // Only a lease that is due earlier than all before it wakes the loop: in a loop of short sections
  // that is one in thousands.
  if (arm) loop_->post([this, due] { arm_intake(due); });
  return Guard(std::move(holding));
}

// One thread that waits in a blocking call, and the coroutine that waits for it.
class Client::Core::Waiter {
 public:
  Waiter(LockName of, OwnerToken by, AcquireOptions with)
      : name(std::move(of)), owner(std::move(by)), options(with) {}
  LockName name;
  OwnerToken owner;
  AcquireOptions options;
  Cancellation cancellation;
  std::promise<Result<AcquireOutcome>> result;
};

Task<void> Client::Core::wait_task(std::shared_ptr<Waiter> waiter) {
  LockClient& client = waiter->owner.hands_over() ? queue_client_ : lock_client_;
  Result<AcquireOutcome> outcome =
      co_await client.acquire(waiter->name, waiter->owner, waiter->options, &waiter->cancellation);
  waiter->result.set_value(std::move(outcome));
}

Result<AcquireOutcome> Client::Core::wait_on_loop(const LockName& name,
                                                  OwnerToken owner,
                                                  const LockOptions& options) {
  AcquireOptions waiting(options.ttl);
  waiting.wait = options.wait;
  const auto waiter = std::make_shared<Waiter>(name, std::move(owner), waiting);
  const std::shared_ptr<Cancellation> cancellation(waiter, &waiter->cancellation);
  std::optional<Queued> queued;
  if (options.fair) queued.emplace(*this, name, cancellation);
  std::future<Result<AcquireOutcome>> result = waiter->result.get_future();
  spawn_own(wait_task(waiter));
  const auto give_up = [&] { loop_->post([waiter] { waiter->cancellation.request(); }); };
  const std::stop_callback on_stop(options.stop, give_up);
  const std::stop_callback on_close(closing_.get_token(), give_up);

  return result.get();
}

Task<AcquireResult> Client::Core::acquire_async(LockName name, LockOptions options) {
  if (auto error = refuses_task("acquiring", name)) co_return *std::move(error);
  const auto cancellation = std::make_shared<Cancellation>();
  const std::stop_callback on_stop(
      options.stop, [&] { loop_->post([cancellation] { cancellation->request(); }); });
  if (options.stop.stop_requested()) co_return was_cancelled();
  if (lines_up(options)) {
    co_return co_await acquire_in_line_async(std::move(name), options, cancellation);
  }
  AcquireOptions waiting(options.ttl);
  waiting.wait = options.wait;
  LockClient& client = options.fair ? queue_client_ : lock_client_;
  std::optional<Queued> queued;
  if (options.fair) queued.emplace(*this, name, cancellation);
  Result<AcquireOutcome> outcome =
      co_await client.acquire(std::move(name), waiting, cancellation.get());
  co_return held_or_not(std::move(outcome), options);
}

}  // namespace interlock
