#include "cohort.hpp"

#include <functional>

#include "interlock/detail/frame_allocator.hpp"
#include "interlock/local_clock.hpp"
#include "on_early_exit.hpp"
#include "report.hpp"
#include "waiting_thread.hpp"

namespace interlock {

// A caller's wait for the other callers of its client, as the event sink hears of it.
class Cohort::ReportedWait {
 public:
  ReportedWait(const ClientOptions& options, const LockName& name)
      : options_(options), name_(name) {}
  void begin() {
    if (options_.events == nullptr) return;
    since_ = local_now();
    options_.events->on_event(Event(EventKind::waiting, name_));
  }
  // When it began; none: the caller has not waited, or nobody listens.
  std::optional<TimePoint> since() const noexcept { return since_; }
  // Ends it with the acquire, whatever that gave.
  class WaitEnding {
   public:
    explicit WaitEnding(ReportedWait& wait) : wait_(wait) {}
    ~WaitEnding() {
      if (!wait_.since_) return;
      report(wait_.options_, [this] { return Event(EventKind::wait_ended, wait_.name_); });
    }
    WaitEnding(const WaitEnding&) = delete;
    WaitEnding& operator=(const WaitEnding&) = delete;

   private:
    ReportedWait& wait_;
  };

 private:
  const ClientOptions& options_;
  const LockName& name_;
  std::optional<TimePoint> since_;
};

// A thread in a blocking call: it rests on a condition of its own.
class Cohort::WaitingCall final : public LocalWaiter {
 public:
  WaitingCall(Cohort& cohort,
              LockName name,
              const LockOptions& options,
              std::shared_ptr<KeptLease> keeps)
      : LocalWaiter(options.ttl, nullptr, std::move(keeps)),
        cohort_(cohort),
        name_(std::move(name)),
        options_(options),
        wait_(cohort.options_, name_),
        on_stop_(options.stop, [this] { notify(); }) {}
  TimeSource& time() { return time_; }
  ReportedWait& wait() { return wait_; }
  void notify() override {
    // A child may request the stop of a thread that exists in its parent alone.
    if (!cohort_.fork_.in_child()) time_.notify();
  }
  void on_wait() override {
    wait_.begin();
    on_close_.emplace(cohort_.calls_.close_token(), [this] { notify(); });
  }
  bool cancelled() const override {
    return options_.stop.stop_requested() || cohort_.calls_.is_closing();
  }
  Task<Result<AcquireOutcome>> acquire_at_store(LockName name, AcquireOptions options) override {
    using FirstRequest = StoreAccess::FirstRequest;
    LockOptions rest = options_;
    rest.wait = options.wait;
    using Keeps = StoreAccess::Keeps;
    co_return cohort_.store_.acquire(name, rest,
                                     finds_it_held() ? FirstRequest::queues : FirstRequest::tries,
                                     keeps_grants() ? Keeps::yes : Keeps::no, wait_.since());
  }
  Task<Result<ReleaseOutcome>> release_at_store(Lease lease) override {
    co_return cohort_.store_.release(kind_of(options_), lease);
  }

 private:
  Cohort& cohort_;
  const LockName name_;
  const LockOptions& options_;
  ReportedWait wait_;
  WaitingThread time_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_close_;
};

// A coroutine on the loop; its functions may be called by any thread.
class Cohort::WaitingTask final : public LocalWaiter,
                                  public std::enable_shared_from_this<WaitingTask> {
 public:
  WaitingTask(Cohort& cohort,
              LockName name,
              LockOptions options,
              std::shared_ptr<Cancellation> cancellation)
      : LocalWaiter(options.ttl, cancellation.get()),
        cohort_(cohort),
        name_(std::move(name)),
        options_(std::move(options)),
        cancellation_(std::move(cancellation)),
        wait_(cohort.options_, name_) {}
  ReportedWait& wait() { return wait_; }
  void on_wait() override { wait_.begin(); }
  void notify() override {
    cohort_.loop_.post([self = shared_from_this()] { self->wake(self->cohort_.loop_); });
  }
  Task<Result<AcquireOutcome>> acquire_at_store(LockName name, AcquireOptions options) override {
    LockOptions rest = options_;
    rest.wait = options.wait;
    return cohort_.store_.acquire_async(place_, std::move(name), rest, cancellation_,
                                        wait_.since());
  }
  Task<Result<ReleaseOutcome>> release_at_store(Lease lease) override {
    return cohort_.store_.release_async(kind_of(options_), std::move(lease));
  }

 private:
  Cohort& cohort_;
  const LockName name_;
  const LockOptions options_;
  const std::shared_ptr<Cancellation> cancellation_;
  ReportedWait wait_;
  std::optional<QueuedWaiters::QueuedCaller> place_;  // since it first led
};

Cohort::Cohort(StoreAccess& store,
               EventLoop& loop,
               const BlockingCalls& calls,
               const ClientOptions& options)
    : store_(store), loop_(loop), calls_(calls), options_(options) {
  for (std::size_t kind = 0; kind < static_cast<std::size_t>(LockKind::count); ++kind) {
    queues_.push_back(std::make_unique<LocalQueues>(options.hand_over, &mutex_));
  }
}

bool Cohort::serves(const LockOptions& options) const {
  const bool waits = !options.wait || *options.wait > Duration::zero();
  // A caller that does not wait may take a grant that another has kept.
  return may_keep(options_, options) && (waits || has_kept_);
}

bool Cohort::may_keep(const ClientOptions& client, const LockOptions& options) {
  // A caller without renewal wants the whole ttl, and not what is left of another caller's lease.
  return client.hand_over.sections > 1 && shares_grants(kind_of(options)) && options.renew &&
         !options.whole_ttl && options.at_least == Duration::zero() && options.note.empty();
}

Cohort::Grant Cohort::acquire(const LockName& name,
                              const LockOptions& options,
                              const std::shared_ptr<KeptLease>& keeps) {
  const LockKind kind = kind_of(options);
  const auto waiter = detail::make_shared_from_frames<WaitingCall>(*this, name, options, keeps);
  const TimePoint began = local_now();
  const ReportedWait::WaitEnding ending(waiter->wait());
  OnEarlyExit acquiring([&] { give_up(kind, name, *waiter); });
  Result<AcquireOutcome> outcome = run(LocalQueueClient(queues_of(kind), waiter->time())
                                           .acquire(waiter, name, at_the_store(options)));
  acquiring.has_ended();
  return granted(std::move(outcome), kind, *waiter, began);
}

Task<Cohort::Grant> Cohort::acquire_async(LockName name,
                                          LockOptions options,
                                          std::shared_ptr<Cancellation> cancellation) {
  const LockKind kind = kind_of(options);
  const AcquireOptions waiting = at_the_store(options);
  const auto waiter =
      detail::make_shared_from_frames<WaitingTask>(*this, name, options, cancellation);
  LocalQueueClient queue(queues_of(kind), loop_);
  const TimePoint began = loop_.now();
  const ReportedWait::WaitEnding ending(waiter->wait());
  OnEarlyExit acquiring([&] { give_up(kind, name, *waiter); });
  Result<AcquireOutcome> outcome = co_await queue.acquire(waiter, name, waiting);
  acquiring.has_ended();
  co_return granted(std::move(outcome), kind, *waiter, began);
}

Cohort::Grant Cohort::granted(Result<AcquireOutcome> outcome,
                              LockKind kind,
                              const LocalWaiter& waiter,
                              TimePoint began) {
  const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (lease == nullptr || queues_of(kind).turn_of(waiter) != LocalWaiter::Turn::holds) {
    return outcome;
  }
  if (waiter.was_handed_over()) {
    report(options_, [&] {
      Event event(EventKind::acquired, *lease);
      event.took = local_now() - began;
      return event;
    });
  }
  return {std::move(outcome), waiter.hand_over_until()};
}

namespace {

// A caller whose turn has come and who is not notified would wait for ever. If there is no memory
// for that, the process ends, as it does on the loop.
void notify(LocalWaiter& waiter) noexcept {
  waiter.notify();
}

}  // namespace

bool Cohort::hand_over(LockKind kind, const Lease& lease) {
  const LocalQueues::HandedOver next = queues_of(kind).hand_over(lease, local_now());
  if (!next.holds) return false;
  notify(*next.holds);
  if (next.leads) notify(*next.leads);
  report(options_, [&] { return Event(EventKind::released, lease); });
  return true;
}

void Cohort::give_up(LockKind kind, const LockName& name, const LocalWaiter& waiter) {
  if (const LocalQueues::Next next = queues_of(kind).give_up(name, waiter)) notify(*next);
}

void Cohort::pass_on(LockKind kind, const Lease& lease, LocalQueues::Section section) {
  if (const LocalQueues::Next next = queues_of(kind).pass_on(lease, section)) notify(*next);
}

// --- what is kept --------------------------------------------------------------------------------

namespace {

std::shared_ptr<KeptLease> lease_of(std::shared_ptr<KeptGrant> kept) {
  return std::static_pointer_cast<KeptLease>(std::move(kept));
}

}  // namespace

std::shared_ptr<KeptLease> Cohort::stop_handing_over(LockKind kind, const Lease& lease) {
  LocalQueues::TimeIsOver over = queues_of(kind).stop_handing_over(lease);
  if (over.leads) notify(*over.leads);
  return lease_of(std::move(over.kept));
}

std::shared_ptr<KeptLease> Cohort::stop_keeping(const LockName& name) {
  if (!has_kept_) return nullptr;
  for (const auto& queues : queues_) {
    if (auto kept = queues->stop_keeping(name)) return lease_of(std::move(kept));
  }
  return nullptr;
}

std::vector<std::shared_ptr<KeptLease>> Cohort::stop_keeping_all(LocalQueues::Recall recalls) {
  std::vector<std::shared_ptr<KeptLease>> all;
  for (const auto& queues : queues_) {
    for (auto& kept : queues->stop_keeping_all(recalls)) all.push_back(lease_of(std::move(kept)));
  }
  return all;
}

}  // namespace interlock
