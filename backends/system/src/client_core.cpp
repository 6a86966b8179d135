#include "client_core.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "interlock/detail/assert.hpp"
#include "interlock/local_clock.hpp"
#include "offloaded_store.hpp"

namespace interlock {

TimePoint BlockingTime::now() {
  return local_now();
}

bool BlockingTime::park(PendingSleep& sleep) {
  const Duration since_boot = sleep.until().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  timespec until{};
  until.tv_sec = seconds.count();
  until.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
  while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  return false;
}

Submitted ClosableStore::submit(PendingOperation& pending) {
  if (!closed_) return store_->submit(pending);
  pending.complete(Error(Errc::unavailable, "the client is being closed"));
  return Submitted::completed;
}

void ClosableStore::close() {
  closed_ = true;
  store_.reset();
}

class Client::Core::Session {
 public:
  explicit Session(Core& core)
      : store_(core.backend_->open()),
        protocol_(*store_, time_, core.options_.margin),
        queue_protocol_(*store_, time_, core.options_.margin, core.options_.queue_policy),
        client_(*store_,
                protocol_,
                time_,
                core.tokens_,
                core.options_.events,
                core.options_.wait_policy),
        queue_client_(*store_,
                      queue_protocol_,
                      time_,
                      core.tokens_,
                      core.options_.events,
                      core.options_.wait_policy) {}

  LockClient& client(bool fair) { return fair ? queue_client_ : client_; }

 private:
  std::unique_ptr<KeyValueStore> store_;
  BlockingTime time_;
  LeaseLock protocol_;
  QueueLock queue_protocol_;
  LockClient client_;
  LockClient queue_client_;
};

// The connection that was used last is taken first: the others go cold and cost nothing.
class Client::Core::BorrowedSession {
 public:
  explicit BorrowedSession(Core& core) : core_(core) {
    {
      const std::lock_guard lock(core_.mutex_);
      if (!core_.idle_sessions_.empty()) {
        session_ = std::move(core_.idle_sessions_.back());
        core_.idle_sessions_.pop_back();
      }
    }
    if (!session_) session_ = std::make_unique<Session>(core_);
  }
  ~BorrowedSession() {
    const std::lock_guard lock(core_.mutex_);
    core_.idle_sessions_.push_back(std::move(session_));
  }
  BorrowedSession(const BorrowedSession&) = delete;
  BorrowedSession& operator=(const BorrowedSession&) = delete;

  LockClient& client(bool fair) { return session_->client(fair); }

 private:
  Core& core_;
  std::unique_ptr<Session> session_;
};

namespace {

void run_on(EventLoop& loop, const std::function<void()>& job) {
  std::promise<void> done;
  loop.post([&] {
    job();
    done.set_value();
  });
  done.get_future().get();
}

std::unique_ptr<ClosableStore> open_for_loop(Backend& backend, EventLoop& loop) {
  std::unique_ptr<KeyValueStore> store;
  run_on(loop, [&] {
    store = backend.open_on(loop);
    if (!store) store = std::make_unique<OffloadedStore>(backend, loop);
  });
  return std::make_unique<ClosableStore>(std::move(store));
}

}  // namespace

namespace {

std::string message_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "of a type without what()";
  }
}

// The store reserves as many fencing tokens as sections may follow each other.
ClientOptions consistent(ClientOptions options) {
  std::int64_t& block = options.queue_policy.fencing_block;
  block = std::max(block, options.hand_over.sections);
  return options;
}

}  // namespace

Client::Core::Core(std::shared_ptr<Backend> backend, ClientOptions options)
    : backend_(std::move(backend)),
      options_(consistent(options)),
      store_(open_for_loop(*backend_, loop_)),
      protocol_(*store_, loop_, options_.margin),
      lock_client_(*store_, protocol_, loop_, tokens_, options_.events, options_.wait_policy),
      queue_protocol_(*store_, loop_, options_.margin, options_.queue_policy),
      queue_client_(
          *store_, queue_protocol_, loop_, tokens_, options_.events, options_.wait_policy),
      lines_(options_.hand_over) {
  run_on(loop_, [this] {
    intake_timer_ = loop_.timer([this] { take_in(); });
    look_again_timer_ = loop_.timer([this] { look_again(); });
  });
}

Client::Core::~Core() {
  // A guard that outlives its client would release through what is being destroyed here.
  INTERLOCK_ASSERT(guards_ == 0 && "every guard must be gone before its client");
  wait_for_end_of(user_tasks_);
  // Renewals and releases that still wait for a silent store end with it.
  run_on(loop_, [this] {
    intake_timer_.reset();
    look_again_timer_.reset();
    store_->close();
  });
  wait_for_end_of(own_tasks_);
}

void Client::Core::wait_for_end_of(const int& tasks) {
  std::unique_lock lock(mutex_);
  task_ended_.wait(lock, [&] { return tasks == 0; });
}

void Client::Core::task_begins(int& tasks) {
  const std::lock_guard lock(mutex_);
  ++tasks;
}

void Client::Core::task_is_over(int& tasks) {
  const std::lock_guard lock(mutex_);
  --tasks;
  task_ended_.notify_all();
}

void Client::Core::spawn(Task<void> task) {
  task_begins(user_tasks_);
  loop_.spawn(std::move(task), [this](const std::exception_ptr& thrown) {
    if (thrown) tell(thrown);
    task_is_over(user_tasks_);
  });
}

void Client::Core::spawn_own(Task<void> task) {
  task_begins(own_tasks_);
  loop_.spawn(std::move(task), [this](const std::exception_ptr&) { task_is_over(own_tasks_); });
}

void Client::Core::wait_for_end(Task<void> task) {
  std::promise<void> end;
  task_begins(user_tasks_);
  loop_.spawn(std::move(task), [this, &end](const std::exception_ptr& thrown) {
    if (thrown) {
      end.set_exception(thrown);
    } else {
      end.set_value();
    }
    task_is_over(user_tasks_);
  });
  end.get_future().get();
}

void Client::Core::tell(const std::exception_ptr& thrown) const {
  if (options_.events != nullptr && options_.events->on_exception(thrown)) return;
  std::fprintf(stderr,
               "interlock: an exception left a task given to Client::spawn(): %s: catch it there, "
               "or take it in EventSink::on_exception()\n",
               message_of(thrown).c_str());
}

// --- acquire ---------------------------------------------------------------------------------

AcquireResult Client::Core::acquire(const LockName& name, const LockOptions& options) {
  INTERLOCK_ASSERT(!loop_.on_loop_thread());
  if (options.stop.stop_requested()) return Error(Errc::cancelled, "the wait was cancelled");
  if (lines_up(options)) return acquire_in_line(name, options);
  return held_or_not(ask(name, options, First::tries), options);
}

Result<AcquireOutcome> Client::Core::ask(const LockName& name,
                                         const LockOptions& options,
                                         First first) {
  OwnerToken owner = tokens_.fresh();
  if (options.fair) owner = queue_protocol_.owner(std::move(owner));
  const bool waits = !options.wait || *options.wait > Duration::zero();
  // A try would be wasted: others of this client queue already, or hold it.
  const bool queues = first == First::queues || somebody_queues_for(name);
  if (options.fair && waits && queues) {
    return wait_on_loop(name, std::move(owner), options);
  }
  AcquireOptions one_try(options.ttl);
  one_try.wait = Duration::zero();

  // The connection goes back before any waiting, which is the loop's business.
  Result<AcquireOutcome> outcome =
      run(BorrowedSession(*this).client(options.fair).acquire(name, owner, one_try));
  if (!outcome || !waits || std::holds_alternative<Lease>(*outcome)) return outcome;
  return wait_on_loop(name, std::move(owner), options);
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
    holding->place = listed_.emplace(due, holding);
    arm = due < intake_at_;
    if (arm) intake_at_ = due;
  }
  // Only a lease that is due earlier than all before it wakes the loop: in a loop of short sections
  // that is one in thousands.
  if (arm) loop_.post([this, due] { arm_intake(due); });
  guard_made();
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
  const std::stop_callback on_stop(
      options.stop, [&] { loop_.post([waiter] { waiter->cancellation.request(); }); });

  return result.get();
}

Task<AcquireResult> Client::Core::acquire_async(LockName name, LockOptions options) {
  INTERLOCK_ASSERT(loop_.on_loop_thread());
  const auto cancellation = std::make_shared<Cancellation>();
  const std::stop_callback on_stop(
      options.stop, [&] { loop_.post([cancellation] { cancellation->request(); }); });
  if (options.stop.stop_requested()) {
    co_return Error(Errc::cancelled, "the wait was cancelled");
  }
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

// --- release ---------------------------------------------------------------------------------

Client::Core::Ending Client::Core::end(Holding& holding) {
  const std::lock_guard lock(mutex_);
  switch (std::exchange(holding.stage, Holding::Stage::ended)) {
    case Holding::Stage::listed:
      listed_.erase(holding.place);
      return Ending::never_kept;
    case Holding::Stage::kept:
      return Ending::kept;
    case Holding::Stage::ended:
      break;
  }
  return Ending::already_ended;
}

Result<ReleaseOutcome> Client::Core::release(const std::shared_ptr<Holding>& holding) {
  INTERLOCK_ASSERT(!loop_.on_loop_thread());
  switch (end(*holding)) {
    case Ending::already_ended:
      return ReleaseOutcome::not_holder;
    case Ending::never_kept: {
      if (hand_over(*holding)) return ReleaseOutcome::released;
      Result<ReleaseOutcome> outcome = release_here(holding->lease());
      released_at_store(*holding);
      return outcome;
    }
    case Ending::kept:
      break;
  }
  return release_on_loop(holding);
}

void Client::Core::released_at_store(const Holding& holding) {
  pass_on(holding, LocalLines::Section::over);
  if (holding.lease().owner().hands_over()) look_again_after_offer(holding.lease().name());
}

Result<ReleaseOutcome> Client::Core::release_here(const Lease& lease) {
  BorrowedSession session(*this);
  return run(session.client(lease.owner().hands_over()).release(lease));
}

Task<void> Client::Core::release_task(
    std::shared_ptr<Holding> holding,
    std::shared_ptr<std::promise<Result<ReleaseOutcome>>> promise) {
  // Renewal ends before the release is sent, so that none can follow it.
  holding->stop();
  Result<ReleaseOutcome> outcome = co_await client_of(holding->lease()).release(holding->lease());
  released_at_store(*holding);
  promise->set_value(std::move(outcome));
}

Result<ReleaseOutcome> Client::Core::release_on_loop(const std::shared_ptr<Holding>& holding) {
  const auto promise = std::make_shared<std::promise<Result<ReleaseOutcome>>>();
  std::future<Result<ReleaseOutcome>> result = promise->get_future();
  spawn_own(release_task(holding, promise));
  if (result.wait_for(options_.release_limit) == std::future_status::ready) return result.get();

  Error error(Errc::indeterminate, "releasing '" + holding->lease().name().text() +
                                       "': the store did not answer in time: the lock may stay "
                                       "held until its ttl ends");
  Event event(EventKind::error, holding->lease().name());
  event.owner = holding->lease().owner();
  event.fencing = holding->lease().fencing();
  event.error = error;
  tell(event);
  return error;
}

Task<Result<ReleaseOutcome>> Client::Core::release_async(std::shared_ptr<Holding> holding) {
  INTERLOCK_ASSERT(loop_.on_loop_thread());
  switch (end(*holding)) {
    case Ending::already_ended:
      co_return ReleaseOutcome::not_holder;
    case Ending::never_kept:
      if (hand_over(*holding)) co_return ReleaseOutcome::released;
      break;
    case Ending::kept:
      holding->stop();
      break;
  }
  Result<ReleaseOutcome> outcome = co_await client_of(holding->lease()).release(holding->lease());
  released_at_store(*holding);
  co_return outcome;
}

void Client::Core::release_quietly(const std::shared_ptr<Holding>& holding) noexcept {
  if (!loop_.on_loop_thread()) {
    static_cast<void>(release(holding));
    return;
  }
  const auto ignore_result = [](Task<Result<ReleaseOutcome>> release) -> Task<void> {
    static_cast<void>(co_await release);
  };
  spawn_own(ignore_result(release_async(holding)));
}

// --- keeping -----------------------------------------------------------------------------------

void Client::Core::arm_intake(TimePoint due) {
  if (intake_timer_) intake_timer_->arm(std::max(Duration::zero(), due - local_now()));
}

// Takes in the leases whose renewal is due; the others are most likely released before theirs is.
// Before that, those for which their line has waited long enough.
void Client::Core::take_in() {
  std::vector<std::shared_ptr<Holding>> due;
  std::vector<std::shared_ptr<Holding>> to_keep;
  std::optional<TimePoint> next;
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = local_now();
    while (!listed_.empty() && listed_.begin()->first <= now) {
      due.push_back(std::move(listed_.begin()->second));
      listed_.erase(listed_.begin());
      Holding& holding = *due.back();
      const TimePoint renewal = holding.lease().renewal_due();
      if (renewal > now) {
        holding.place = listed_.emplace(renewal, due.back());
      } else {
        holding.stage = Holding::Stage::kept;
        to_keep.push_back(due.back());
      }
    }
    if (!listed_.empty()) next = listed_.begin()->first;
    intake_at_ = next.value_or(TimePoint::max());
  }
  if (next) arm_intake(*next);
  for (const auto& holding : due) pass_on(*holding, LocalLines::Section::goes_on);
  for (const auto& holding : to_keep) holding->keep();
}

}  // namespace interlock
