// How the callers of one client line up for a fair lock, and how one of them hands it to the next.
#include <functional>
#include <utility>

#include "client_core.hpp"
#include "interlock/local_clock.hpp"
#include "waiting_thread.hpp"

namespace interlock {

// A thread in a blocking call: it rests on a condition of its own.
class Client::Core::ThreadInLine final : public LineWaiter {
 public:
  ThreadInLine(Core& core, LockName name, const LockOptions& options)
      : LineWaiter(options.ttl, nullptr),
        core_(core),
        name_(std::move(name)),
        options_(options),
        on_stop_(options.stop, [this] { call(); }) {}
  TimeSource& time() { return time_; }
  void call() override {
    // A child may request the stop of a thread that exists in its parent alone.
    if (!core_.in_child()) time_.call();
  }
  void waits() override {
    core_.tell(Event(EventKind::waiting, name_));
    on_close_.emplace(core_.closing_.get_token(), [this] { call(); });
  }
  bool cancelled() const override { return options_.stop.stop_requested() || core_.is_closing_; }
  Task<Result<AcquireOutcome>> ask(LockName name, AcquireOptions options) override {
    LockOptions rest = options_;
    rest.wait = options.wait;
    co_return core_.ask(name, rest, finds_it_held() ? First::queues : First::tries);
  }
  Task<Result<ReleaseOutcome>> give_back(Lease lease) override { co_return core_.give_back(lease); }

 private:
  Core& core_;
  const LockName name_;
  const LockOptions& options_;
  WaitingThread time_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_close_;
};

// A coroutine on the loop; its functions may be called by any thread.
class Client::Core::TaskInLine final : public LineWaiter,
                                       public std::enable_shared_from_this<TaskInLine> {
 public:
  TaskInLine(Core& core, LockName name, Ttl ttl, std::shared_ptr<Cancellation> cancellation)
      : LineWaiter(ttl, cancellation.get()),
        core_(core),
        name_(std::move(name)),
        cancellation_(std::move(cancellation)) {}
  void waits() override { core_.tell(Event(EventKind::waiting, name_)); }
  void call() override {
    core_.loop_->post([self = shared_from_this()] { self->wake(*self->core_.loop_); });
  }
  Task<Result<AcquireOutcome>> ask(LockName name, AcquireOptions options) override {
    const Queued queued(core_, name, cancellation_);
    co_return co_await core_.queue_client_.acquire(name, options, cancellation_.get());
  }
  Task<Result<ReleaseOutcome>> give_back(Lease lease) override {
    return core_.queue_client_.release(std::move(lease));
  }

 private:
  Core& core_;
  const LockName name_;
  const std::shared_ptr<Cancellation> cancellation_;
};

bool Client::Core::lines_up(const LockOptions& options) const {
  const bool waits = !options.wait || *options.wait > Duration::zero();
  // A lease that is not renewed is wanted whole: what is left of another's would not do.
  return options_.hand_over.sections > 1 && options.fair && options.renew && waits;
}

AcquireResult Client::Core::acquire_in_line(const LockName& name, const LockOptions& options) {
  AcquireOptions waiting(options.ttl);
  waiting.wait = options.wait;
  const auto waiter = std::make_shared<ThreadInLine>(*this, name, options);
  const TimePoint began = local_now();
  Result<AcquireOutcome> outcome =
      run(LineClient(lines_, waiter->time()).acquire(waiter, name, waiting));
  return held_in_line(std::move(outcome), options, *waiter, began);
}

AcquireResult Client::Core::held_in_line(Result<AcquireOutcome> outcome,
                                         const LockOptions& options,
                                         LineWaiter& waiter,
                                         TimePoint began) {
  const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (lease == nullptr || lines_.turn_of(waiter) != LineWaiter::Turn::holds) {
    return held_or_not(std::move(outcome), options);
  }
  if (waiter.was_handed_over()) {
    Event event(EventKind::acquired, lease->name());
    event.owner = lease->owner();
    event.fencing = lease->fencing();
    event.took = local_now() - began;
    tell(event);
  }
  return held_or_not(std::move(outcome), options, waiter.hand_over_until());
}

Task<AcquireResult> Client::Core::acquire_in_line_async(
    LockName name, LockOptions options, std::shared_ptr<Cancellation> cancellation) {
  AcquireOptions waiting(options.ttl);
  waiting.wait = options.wait;
  const auto waiter = std::make_shared<TaskInLine>(*this, name, options.ttl, cancellation);
  LineClient line(lines_, *loop_);
  const TimePoint began = loop_->now();
  Result<AcquireOutcome> outcome = co_await line.acquire(waiter, std::move(name), waiting);
  co_return held_in_line(std::move(outcome), options, *waiter, began);
}

bool Client::Core::hand_over(const Holding& holding) {
  if (!holding.in_line()) return false;
  const LocalLines::HandedOver next = lines_.hand_over(holding.lease(), local_now());
  if (!next.holds) return false;
  next.holds->call();
  if (next.leads) next.leads->call();
  Event event(EventKind::released, holding.lease().name());
  event.owner = holding.lease().owner();
  event.fencing = holding.lease().fencing();
  tell(event);
  return true;
}

void Client::Core::pass_on(const Holding& holding, LocalLines::Section section) {
  if (!holding.in_line()) return;
  if (const LocalLines::Called next = lines_.pass_on(holding.lease(), section)) next->call();
}

}  // namespace interlock
