#include "interlock/guard.hpp"

#include <algorithm>
#include <utility>

#include "client_core.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/whereabouts.hpp"

namespace interlock {
namespace {

Task<Result<ReleaseOutcome>> answer(Result<ReleaseOutcome> with) {
  co_return with;
}

Error moved_from() {
  return {Errc::invalid_argument, "releasing: the guard was moved from: release what it moved to"};
}

// The result of a release that leaves the lock to other guards.
ReleaseOutcome leaving(const ActiveLease& held) {
  return held.loss() ? ReleaseOutcome::not_holder : ReleaseOutcome::released;
}

const ActiveLease& there(const std::shared_ptr<ActiveLease>& held, const char* what) {
  if (held) return *held;
  detail::misused(std::string(what) + " of a guard that was moved from: ask what it moved to");
}

}  // namespace

// --- Guard ---------------------------------------------------------------------------------------

// Whether it need not release the lock, because another guard of the grant is there.
bool Guard::leaves_it_to_others() noexcept {
  if (!has_left_ && !held_->in_child()) has_left_ = held_->leave_to_others();
  return has_left_;
}

void Guard::let_go() noexcept {
  if (!held_) return;
  if (!held_->in_child() && !leaves_it_to_others()) {
    if (const auto core = held_->core()) core->release_quietly(held_);
  }
  held_.reset();
  has_left_ = false;
}

Guard& Guard::operator=(Guard&& other) noexcept {
  if (this != &other) {
    let_go();
    held_ = std::move(other.held_);
    has_left_ = other.has_left_.exchange(false);
  }
  return *this;
}

Guard::~Guard() {
  let_go();
}

const LockName& Guard::name() const noexcept {
  return there(held_, "the name").lease().name();
}
const OwnerToken& Guard::owner() const noexcept {
  return there(held_, "the owner").lease().owner();
}
Ttl Guard::ttl() const noexcept {
  return there(held_, "the ttl").lease().ttl();
}
FencingToken Guard::fencing() const noexcept {
  return held_ ? held_->fencing() : FencingToken();
}
LeaseState Guard::state() const noexcept {
  return held_ && !has_left_ ? held_->state() : LeaseState::lost;
}
TimePoint Guard::certain_until() const noexcept {
  return held_ && !has_left_ ? held_->certain_until() : TimePoint();
}
std::stop_token Guard::lost_token() const {
  return held_ ? held_->lost_token() : std::stop_token();
}
std::optional<LossReason> Guard::loss() const noexcept {
  return held_ ? held_->loss() : std::nullopt;
}

Duration Guard::remaining() const noexcept {
  if (!held_ || has_left_ || held_->loss()) return Duration::zero();
  return std::max(Duration::zero(), held_->certain_until() - local_now());
}

Result<ReleaseOutcome> Guard::release() {
  if (!held_) return moved_from();
  if (has_left_) return ReleaseOutcome::not_holder;
  if (leaves_it_to_others()) return leaving(*held_);
  const std::shared_ptr<Client::Core> core = held_->core();
  if (core) return core->release(held_);
  return held_->release_without_client();
}

Task<Result<ReleaseOutcome>> Guard::release_async() {
  if (!held_) return answer(moved_from());
  if (has_left_) return answer(ReleaseOutcome::not_holder);
  if (leaves_it_to_others()) return answer(leaving(*held_));
  const std::shared_ptr<Client::Core> core = held_->core();
  if (core) return core->release_async(held_);
  return answer(held_->release_without_client());
}

Guard Guard::share() const noexcept {
  if (!held_ || has_left_ || !held_->add_guard()) return Guard(std::shared_ptr<ActiveLease>());
  return Guard(held_);
}

void Guard::waive_at_least() noexcept {
  if (held_) held_->waive_stay();
}

// --- AcquireResult -------------------------------------------------------------------------------

AcquireResult::operator bool() const noexcept {
  const Guard* const guard = std::get_if<Guard>(&outcome_);
  return guard != nullptr && guard->held_ != nullptr;
}

Guard& AcquireResult::held() {
  if (*this) return std::get<Guard>(outcome_);
  throw LockFailure(
      Error(Errc::invalid_argument, "using a guard that there is not: the lock is not held (" +
                                        why_not() + "): test the result of an acquire before"));
}

std::string AcquireResult::why_not() const {
  if (const Error* failed = error()) return failed->detail();
  if (const Busy* held = busy()) {
    if (held->holder.is_quarantine()) {
      std::string text = "no lock is granted at this store";
      if (held->remaining) text += " for " + std::to_string(held->remaining->count()) + " ms more";
      return text + ", because it is new or has just changed (failover or restart)";
    }
    if (held->holder.text().empty()) return "the lease was lost, and nobody holds the lock now";
    std::string text = held_by_text(held->holder);
    if (held->held_for) text += " for " + std::to_string(held->held_for->count()) + " ms";
    return text;
  }
  return *this ? std::string() : std::string("its guard was moved out of the result");
}

}  // namespace interlock
