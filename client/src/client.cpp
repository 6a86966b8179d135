#include "interlock/client.hpp"

#include <new>
#include <utility>

#include "active_lease.hpp"
#include "client_core.hpp"
#include "interlock/detail/ranges.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "refuse_empty.hpp"

namespace interlock {

std::optional<Error> ClientOptions::wrong() const {
  constexpr std::size_t most_connections = 65'536;
  detail::Ranges own("ClientOptions");
  own.duration("release_limit", release_limit, milliseconds{1})
      .count("connections_max", connections_max, most_connections)
      .duration("connection_idle_limit", connection_idle_limit, milliseconds{1});
  if (own.error()) return own.error();
  if (auto error = wait_policy.wrong()) return error;
  if (auto error = queue_policy.wrong()) return error;
  return hand_over.wrong();
}

Result<std::unique_ptr<Client>> Client::open(std::shared_ptr<Backend> backend,
                                             ClientOptions options) {
  auto core = Core::open(std::move(backend), options);
  if (!core) return std::move(core).error();
  return std::unique_ptr<Client>(new Client(Takes::core, *std::move(core)));
}

Client::Client(Takes, std::shared_ptr<Core> core) : core_(std::move(core)) {}

Client::Client(std::shared_ptr<Backend> backend, ClientOptions options) {
  auto core = Core::open(std::move(backend), options);
  if (!core) throw LockFailure(std::move(core).error());
  core_ = *std::move(core);
}

Client::~Client() {
  if (in_child()) {
    posix::leave_behind(std::move(core_));
  } else {
    core_->close();
  }
}

bool Client::in_child() const noexcept {
  return core_->in_child();
}

AcquireResult Client::acquire(const LockName& name, LockOptions options) {
  return core_->acquire(name, options);
}

AcquireResult Client::try_acquire(const LockName& name, LockOptions options) {
  options.wait = Duration::zero();
  return core_->acquire(name, options);
}

AcquireResult Client::acquire(std::string_view name, LockOptions options) {
  const Result<LockName> parsed = LockName::parse(name);
  if (!parsed) return parsed.error();
  return acquire(*parsed, std::move(options));
}

AcquireResult Client::try_acquire(std::string_view name, LockOptions options) {
  options.wait = Duration::zero();
  return acquire(name, std::move(options));
}

AcquireResult Client::acquire_shared(std::string_view name, LockOptions options) {
  options.shared = true;
  return acquire(name, std::move(options));
}

AcquireResult Client::acquire_permits(std::string_view name, Permits permits, LockOptions options) {
  options.permits = permits;
  return acquire(name, std::move(options));
}

AcquireResult Client::downgrade(Guard&& guard) {
  if (auto error = core_->refuses_downgrade(guard.held_, guard.has_left_)) return *std::move(error);
  return core_->downgrade(std::exchange(guard.held_, nullptr));
}

Task<AcquireResult> Client::downgrade_async(Guard guard) {
  if (auto error = core_->refuses_downgrade_task(guard.held_, guard.has_left_)) {
    co_return *std::move(error);
  }
  // If there is no memory for it, the guard releases the lock.
  Task<AcquireResult> downgrading = core_->downgrade_async(guard.held_);
  guard.held_.reset();
  co_return co_await downgrading;
}

SectionResult Client::with_lock(std::string_view name,
                                const std::function<void(Guard&)>& section,
                                LockOptions options) {
  refuse_empty(section, "with_lock()");
  SectionResult result;
  AcquireResult acquired = acquire(name, std::move(options));
  if (const Busy* busy = acquired.busy()) result.busy = *busy;
  if (const Error* error = acquired.error()) result.error = *error;
  if (!acquired) return result;

  Guard& guard = *acquired;
  const std::shared_ptr<const ActiveLease> held = guard.held_;  // wherever the guard goes
  section(guard);
  result.ran = true;
  // Read in this order: if a loss has ended the lease, its reason was noted before.
  result.released_early = !in_child() && core_->has_ended(*held);
  result.loss = held->loss();
  // The loop may not have reported the loss yet, because the process may have been stopped until
  // now.
  if (!result.loss && !result.released_early && held->state() == LeaseState::lost) {
    result.loss = LossReason::not_renewed_in_time;
  }
  // The section has released its guard while another one of the grant is there.
  if (guard.has_left_) return result;
  const TimePoint certain_until = held->certain_until();
  const Result<ReleaseOutcome> released = guard.release();  // failures are told to the event sink
  // Somebody has removed the lock, and the renewal has not found that yet. But if the lease was
  // certain when the section ended, and ended by itself before the release came, nothing is lost.
  const bool found_gone = released && *released == ReleaseOutcome::not_holder;
  if (found_gone && !result.loss && !result.released_early && local_now() < certain_until) {
    result.loss = LossReason::gone;
  }
  return result;
}

std::string SectionResult::why_not() const {
  if (error) return AcquireResult(*error).why_not();
  if (busy) return AcquireResult(*busy).why_not();
  if (loss) {
    return "the lock was lost while the section ran: " + std::string(to_string(*loss));
  }
  if (released_early) return "the section released the lock before its end";
  return ran ? "" : "the section did not run";
}

Task<AcquireResult> Client::acquire_async(LockName name, LockOptions options) {
  return core_->acquire_async(std::move(name), std::move(options));
}

namespace {

Task<AcquireResult> fail(Error error) {
  co_return error;
}

// The caller waits for its callback, so this gets it even if there is no memory for anything else.
Task<void> acquire_and_tell(Task<AcquireResult> acquiring,
                            std::function<void(AcquireResult)> done) {
  std::optional<AcquireResult> result;
  try {
    result.emplace(co_await acquiring);
  } catch (const std::bad_alloc&) {
    result.emplace(Error(Errc::unavailable, "acquiring: memory ran out: try again later"));
  }
  done(*std::move(result));
}

Task<void> release_and_tell(Guard guard, std::function<void(Result<ReleaseOutcome>)> done) {
  done(co_await guard.release_async());
}

}  // namespace

Task<AcquireResult> Client::acquire_async(std::string_view name, LockOptions options) {
  Result<LockName> parsed = LockName::parse(name);
  if (!parsed) return fail(std::move(parsed).error());
  return acquire_async(*std::move(parsed), std::move(options));
}

void Client::acquire_then(std::string_view name,
                          LockOptions options,
                          std::function<void(AcquireResult)> done) {
  refuse_empty(done, "acquire_then()");
  if (in_child()) {
    throw LockFailure(posix::used_in_child("acquiring '" + std::string(name) + "'", "its client"));
  }
  Result<LockName> parsed = LockName::parse(name);
  spawn(acquire_and_tell(parsed
                             ? core_->acquire_until_closing(*std::move(parsed), std::move(options))
                             : fail(std::move(parsed).error()),
                         std::move(done)));
}

void Client::release_then(Guard guard, std::function<void(Result<ReleaseOutcome>)> done) {
  refuse_empty(done, "release_then()");
  if (in_child()) throw LockFailure(posix::used_in_child("releasing", "its client"));
  spawn(release_and_tell(std::move(guard), std::move(done)));
}

void Client::spawn(Task<void> task) {
  core_->spawn(std::move(task));
}

void Client::wait_for_end(Task<void> task) {
  core_->wait_for_end(std::move(task));
}

EventLoop& Client::loop() noexcept {
  return core_->loop();
}

}  // namespace interlock
