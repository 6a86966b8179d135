#include "interlock/protocols/queue_lock.hpp"

#include <algorithm>
#include <cctype>

#include "interlock/lock_keys.hpp"
#include "interlock/queue_scripts.hpp"
#include "unanswered.hpp"

namespace interlock {
namespace {

constexpr const char* no_ear = "-";

std::optional<milliseconds> unless_negative(std::int64_t count) {
  if (count < 0) return std::nullopt;
  return milliseconds(count);
}

Error senseless(const Value& value) {
  return {Errc::indeterminate, "the store's answer makes no sense: " + to_string(value) +
                                   ": what it has done is unknown"};
}

// As the store's claim answers; the lock's own script does not have to say more.
Result<ClaimReply> claimed_or_held(const Value& value) {
  const auto* list = value.list();
  if (list == nullptr || list->size() < 3) return senseless(value);
  const auto* granted = (*list)[0].number();
  if (granted != nullptr && *granted == 1) {
    const auto* fencing = (*list)[1].number();
    if (fencing == nullptr || *fencing <= 0) return senseless(value);
    return ClaimReply(Claimed(FencingToken(static_cast<std::uint64_t>(*fencing))));
  }
  if (granted == nullptr || *granted != 0 || list->size() != 4) return senseless(value);
  const auto* holder = (*list)[1].text();
  const auto* remaining = (*list)[2].number();
  const auto* held_for = (*list)[3].number();
  if (holder == nullptr || remaining == nullptr || held_for == nullptr) return senseless(value);
  return ClaimReply(
      Held(OwnerToken(*holder), unless_negative(*remaining), unless_negative(*held_for)));
}

Result<OwnerCheck> owner_check(const Value& value) {
  const auto* number = value.number();
  if (number == nullptr || *number < -1 || *number > 1) return senseless(value);
  if (*number == 1) return OwnerCheck::done;
  return *number == 0 ? OwnerCheck::absent : OwnerCheck::other;
}

// The queue keeps its lines apart by white space.
bool has_white_space(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char byte) { return byte <= ' ' || std::isspace(byte) != 0; });
}

std::vector<Key> keys_of(const LockName& name) {
  const Key lock = lock_key(name);
  return {lock, fencing_key(lock), queue_key(lock)};
}

}  // namespace

OwnerToken QueueLock::owner(OwnerToken fresh) const {
  return OwnerToken(fresh.text() + std::string(OwnerToken::fair_mark));
}

std::vector<std::string> QueueLock::claim_arguments(const OwnerToken& owner,
                                                    Ttl ttl,
                                                    std::string ear) const {
  const milliseconds window = std::min(policy_.claim_window, ttl.duration());
  return {owner.text(),
          std::to_string(ttl.duration().count()),
          std::to_string(policy_.fencing_block),
          std::move(ear),
          std::to_string(window.count()),
          std::to_string(policy_.recheck.count()),
          std::to_string(policy_.grace.count())};
}

Task<Result<AcquireOutcome>> QueueLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  return claim(std::move(name), std::move(owner), ttl, std::string());
}

Task<Result<AcquireOutcome>> QueueLock::queue_up(LockName name,
                                                 OwnerToken owner,
                                                 Ttl ttl,
                                                 std::optional<Channel> ear) {
  return claim(std::move(name), std::move(owner), ttl, ear ? ear->text() : std::string(no_ear));
}

// The order of things in here is LeaseLock::try_acquire's, and so are its reasons. A confirmation
// is a claim like any other: it is granted because the key holds this owner's token.
Task<Result<AcquireOutcome>> QueueLock::claim(LockName name,
                                              OwnerToken owner,
                                              Ttl ttl,
                                              std::string ear) {
  if (margin_.certain_lifetime(ttl) == Duration::zero()) co_return too_short(ttl);
  if (has_white_space(owner.text()) || has_white_space(ear)) {
    co_return Error(Errc::invalid_argument,
                    "claiming '" + name.text() + "': white space in an owner token or a channel");
  }
  bool may_be_held = false;
  for (int tries_left = tries_max;;) {
    const TimePoint sent = time_.now();
    std::vector<Key> keys = keys_of(name);
    std::vector<std::string> arguments = claim_arguments(owner, ttl, ear);
    const Result<Value> answer =
        co_await store_.run(*scripts_.claim, std::move(keys), std::move(arguments));
    --tries_left;

    Result<ClaimReply> claimed = Error(Errc::indeterminate, "");
    if (answer) {
      claimed = claimed_or_held(*answer);
    } else {
      claimed = answer.error();
    }
    if (!claimed) {
      may_be_held = may_be_held || claimed.error().code() == Errc::indeterminate;
      if (claimed.error().code() == Errc::indeterminate && tries_left > 0) continue;
      if (may_be_held) co_return still_unknown(name, "claiming", claimed.error());
      co_return claimed.error();
    }
    if (const auto* held = std::get_if<Held>(&*claimed)) {
      co_return AcquireOutcome(Busy(held->holder, held->remaining, held->held_for));
    }
    Lease lease(name, owner, std::get<Claimed>(*claimed).fencing, ttl, sent, margin_);
    if (time_.now() < lease.certain_until()) co_return AcquireOutcome(std::move(lease));

    may_be_held = true;
    if (tries_left > 0) continue;
    const Error too_late(Errc::indeterminate, "the answer took longer than the lease lasts");
    co_return still_unknown(name, "claiming", too_late);
  }
}

Task<Result<RenewOutcome>> QueueLock::renew(Lease lease) {
  const TimePoint sent = time_.now();
  const Result<OwnerCheck> renewed =
      co_await store_.renew(lock_key(lease.name()), lease.owner(), lease.ttl());
  if (!renewed) co_return renewed.error();
  switch (*renewed) {
    case OwnerCheck::done:
      co_return RenewOutcome(lease.renewed(sent, margin_));
    case OwnerCheck::absent:
      co_return RenewOutcome(LeaseLost(LossReason::gone));
    case OwnerCheck::other:
      break;
  }
  co_return RenewOutcome(LeaseLost(LossReason::held_by_another));
}

Task<Result<ReleaseOutcome>> QueueLock::release(Lease lease) {
  bool may_be_released = false;
  for (int tries_left = tries_max;;) {
    std::vector<Key> keys = keys_of(lease.name());
    std::vector<std::string> arguments{
        lease.owner().text(), interlock::release_channel(lock_key(lease.name())).text(),
        std::to_string(policy_.fencing_block), std::to_string(policy_.claim_window.count())};
    const Result<Value> answer =
        co_await store_.run(*scripts_.release, std::move(keys), std::move(arguments));
    --tries_left;

    Result<OwnerCheck> released = Error(Errc::indeterminate, "");
    if (answer) {
      released = owner_check(*answer);
    } else {
      released = answer.error();
    }
    if (!released) {
      may_be_released = may_be_released || released.error().code() == Errc::indeterminate;
      if (released.error().code() == Errc::indeterminate && tries_left > 0) continue;
      if (may_be_released) co_return still_unknown(lease.name(), "releasing", released.error());
      co_return released.error();
    }
    if (*released == OwnerCheck::done) co_return ReleaseOutcome::released;
    co_return may_be_released ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
  }
}

std::optional<Channel> QueueLock::release_channel(const LockName& name) const {
  return interlock::release_channel(lock_key(name));
}

}  // namespace interlock
