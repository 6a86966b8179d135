#include "interlock/guard_set.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "interlock/lock_failure.hpp"
#include "interlock/posix/fork.hpp"

namespace interlock {
namespace {

Error moved_from() {
  return {Errc::invalid_argument, "releasing: the set was moved from: release what it moved to"};
}

// A release after the first one finds nothing out.
bool is_unreleased(const Guard& guard) {
  return guard.certain_until() != TimePoint();
}

// What is told of several releases.
Result<ReleaseOutcome> worse(Result<ReleaseOutcome> one, Result<ReleaseOutcome> other) {
  if (!one || (other && *other == ReleaseOutcome::released)) return one;
  return other;
}

}  // namespace

// Listens for the loss of each lock, from when the user asks for a token on.
class GuardSet::Losses {
 public:
  bool in_child() const noexcept { return fork_.in_child(); }

  std::stop_token token(const std::vector<Guard>& guards) {
    const std::lock_guard lock(mutex_);
    if (source_.stop_possible()) return source_.get_token();
    std::stop_source source;
    for (const Guard& guard : guards) callbacks_.emplace_back(guard.lost_token(), Stops{source});
    source_ = std::move(source);
    return source_.get_token();
  }

 private:
  class Stops {
   public:
    void operator()() const noexcept { static_cast<void>(source.request_stop()); }
    std::stop_source source;
  };

  const posix::ForkMark fork_;
  std::mutex mutex_;
  std::stop_source source_{std::nostopstate};
  std::list<std::stop_callback<Stops>> callbacks_;
};

// --- GuardSet ------------------------------------------------------------------------------------

GuardSet::GuardSet(std::vector<Guard> guards)
    : guards_(std::move(guards)), losses_(std::make_unique<Losses>()) {}

GuardSet::GuardSet(GuardSet&& other) noexcept
    : guards_(std::move(other.guards_)),
      losses_(std::move(other.losses_)),
      found_gone_(std::exchange(other.found_gone_, std::nullopt)) {}

GuardSet& GuardSet::operator=(GuardSet&& other) noexcept {
  if (this != &other) {
    let_go();
    guards_ = std::move(other.guards_);
    losses_ = std::move(other.losses_);
    found_gone_ = std::exchange(other.found_gone_, std::nullopt);
  }
  return *this;
}

GuardSet::~GuardSet() {
  let_go();
}

void GuardSet::let_go() noexcept {
  // In a child, a callback of the parent's loop may look as if it were running, for ever.
  if (losses_ && losses_->in_child()) posix::leave_behind(std::move(losses_));
  losses_.reset();
  while (!guards_.empty()) guards_.pop_back();
}

const Guard* GuardSet::find(std::string_view name) const noexcept {
  const auto found = std::find_if(guards_.begin(), guards_.end(),
                                  [&](const Guard& each) { return each.name().text() == name; });
  return found == guards_.end() ? nullptr : &*found;
}

LeaseState GuardSet::state() const noexcept {
  LeaseState worst = guards_.empty() ? LeaseState::lost : LeaseState::held;
  for (const Guard& each : guards_) worst = std::max(worst, each.state());
  return worst;
}

Duration GuardSet::remaining() const noexcept {
  Duration least = guards_.empty() ? Duration::zero() : Duration::max();
  for (const Guard& each : guards_) least = std::min(least, each.remaining());
  return least;
}

TimePoint GuardSet::certain_until() const noexcept {
  TimePoint first = guards_.empty() ? TimePoint() : TimePoint::max();
  for (const Guard& each : guards_) first = std::min(first, each.certain_until());
  return first;
}

std::stop_token GuardSet::lost_token() const {
  if (guards_.empty()) return {};
  if (losses_->in_child()) return guards_.front().lost_token();
  return losses_->token(guards_);
}

const Guard* GuardSet::lost() const noexcept {
  const auto found = std::find_if(guards_.begin(), guards_.end(),
                                  [](const Guard& each) { return each.loss().has_value(); });
  return found == guards_.end() ? nullptr : &*found;
}

Result<ReleaseOutcome> GuardSet::release() {
  if (guards_.empty()) return moved_from();
  Result<ReleaseOutcome> all = ReleaseOutcome::released;
  for (std::size_t at = guards_.size(); at-- > 0;) {
    const bool is_first = is_unreleased(guards_[at]);
    Result<ReleaseOutcome> outcome = guards_[at].release();
    if (is_first && outcome && *outcome == ReleaseOutcome::not_holder) found_gone_ = at;
    all = worse(std::move(all), std::move(outcome));
  }
  return all;
}

Task<Result<ReleaseOutcome>> GuardSet::release_async() {
  if (guards_.empty()) co_return moved_from();
  Result<ReleaseOutcome> all = ReleaseOutcome::released;
  for (std::size_t at = guards_.size(); at-- > 0;) {
    const bool is_first = is_unreleased(guards_[at]);
    Result<ReleaseOutcome> outcome = co_await guards_[at].release_async();
    if (is_first && outcome && *outcome == ReleaseOutcome::not_holder) found_gone_ = at;
    all = worse(std::move(all), std::move(outcome));
  }
  co_return all;
}

void GuardSet::waive_at_least() noexcept {
  for (Guard& each : guards_) each.waive_at_least();
}

// --- AcquireAllResult ----------------------------------------------------------------------------

AcquireAllResult::operator bool() const noexcept {
  const GuardSet* const guards = std::get_if<GuardSet>(&outcome_);
  return guards != nullptr && guards->size() > 0;
}

GuardSet& AcquireAllResult::held() {
  if (*this) return std::get<GuardSet>(outcome_);
  throw LockFailure(Error(Errc::invalid_argument,
                          "using a set of guards that there is not: the locks are not held (" +
                              why_not() + "): test the result of an acquire before"));
}

std::string AcquireAllResult::why_not() const {
  if (const Error* failed = error()) return failed->detail();
  if (const BusyLock* held = busy()) {
    return "'" + held->name.text() + "': " + AcquireResult(held->busy).why_not();
  }
  return *this ? std::string() : std::string("its guards were moved out of the result");
}

}  // namespace interlock
