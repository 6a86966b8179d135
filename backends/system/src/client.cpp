#include "interlock/client.hpp"

#include <algorithm>
#include <utility>

#include "client_core.hpp"
#include "interlock/local_clock.hpp"

namespace interlock {

Client::Client(std::shared_ptr<Backend> backend, ClientOptions options)
    : core_(std::make_shared<Core>(std::move(backend), options)) {}

Client::~Client() = default;

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

SectionResult Client::with_lock(std::string_view name,
                                const std::function<void(Guard&)>& section,
                                LockOptions options) {
  SectionResult result;
  AcquireResult acquired = acquire(name, std::move(options));
  if (const Busy* busy = acquired.busy()) result.busy = *busy;
  if (const Error* error = acquired.error()) result.error = *error;
  if (!acquired) return result;

  Guard& guard = *acquired;
  section(guard);
  result.ran = true;
  result.loss = guard.loss();
  // The loop may not have come round to say so: the process may have been stopped until now.
  if (!result.loss && guard.state() == LeaseState::lost) {
    result.loss = LossReason::not_renewed_in_time;
  }
  static_cast<void>(guard.release());  // failures are told to the event sink
  return result;
}

Task<AcquireResult> Client::acquire_async(LockName name, LockOptions options) {
  return core_->acquire_async(std::move(name), std::move(options));
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

// --- Guard -------------------------------------------------------------------------------------

namespace {

void let_go(std::shared_ptr<Holding>& holding) noexcept {
  if (!holding) return;
  Client::Core& core = holding->core();
  core.release_quietly(holding);
  holding.reset();
  core.guard_gone();
}

}  // namespace

Guard& Guard::operator=(Guard&& other) noexcept {
  if (this != &other) {
    let_go(holding_);
    holding_ = std::move(other.holding_);
  }
  return *this;
}

Guard::~Guard() {
  let_go(holding_);
}

const LockName& Guard::name() const noexcept {
  return holding_->lease().name();
}
const OwnerToken& Guard::owner() const noexcept {
  return holding_->lease().owner();
}
FencingToken Guard::fencing() const noexcept {
  return holding_->lease().fencing();
}
Ttl Guard::ttl() const noexcept {
  return holding_->lease().ttl();
}
LeaseState Guard::state() const noexcept {
  return holding_->state();
}
TimePoint Guard::certain_until() const noexcept {
  return holding_->certain_until();
}
std::stop_token Guard::lost_token() const noexcept {
  return holding_->lost_token();
}
std::optional<LossReason> Guard::loss() const noexcept {
  return holding_->loss();
}

Duration Guard::remaining() const noexcept {
  if (holding_->loss()) return Duration::zero();
  return std::max(Duration::zero(), holding_->certain_until() - local_now());
}

Result<ReleaseOutcome> Guard::release() {
  return holding_->core().release(holding_);
}

Task<Result<ReleaseOutcome>> Guard::release_async() {
  return holding_->core().release_async(holding_);
}

// --- AcquireResult -----------------------------------------------------------------------------

std::string AcquireResult::why_not() const {
  if (const Error* failed = error()) return failed->detail();
  const Busy* held = busy();
  if (held == nullptr) return {};
  std::string text = "held by " + held->holder.text();
  if (held->held_for) text += " for " + std::to_string(held->held_for->count()) + " ms";
  return text;
}

}  // namespace interlock
