#include "interlock/protocols/lease_protocol.hpp"

#include "interlock/detail/assert.hpp"
#include "interlock/store/lock_keys.hpp"
#include "perhaps_held.hpp"

namespace interlock {
namespace {

// After a lost answer the client sends the same request again, because this is the only way to
// learn what happened to the first. Three tries in all: each may take the store's whole command
// timeout.
constexpr int tries_max = 3;

Error still_unknown(const LockName& name, const char* what, const Error& last) {
  return {Errc::indeterminate, std::string(what) + " '" + name.text() +
                                   "': no usable answer after a request was sent (" +
                                   last.detail() + ")" + std::string(perhaps_held)};
}

Error too_short(Ttl ttl) {
  return {Errc::invalid_argument, "ttl of " + std::to_string(ttl.duration().count()) +
                                      " ms leaves nothing after the safety margin: choose a longer "
                                      "one"};
}

Error too_long(Ttl ttl, const Quarantine& quarantine) {
  return {Errc::invalid_argument,
          "ttl of " + std::to_string(ttl.duration().count()) +
              " ms is longer than the longest of this store's quarantine, " +
              std::to_string(quarantine.longest_ttl.duration().count()) +
              " ms: choose a shorter one, or raise the longest for all clients of the store"};
}

// Reads the clock for a lease that stays, and for no other: a search distinguishes states by what
// was read.
std::optional<Ttl> rest_of(const Lease& lease, TimeSource& time) {
  const bool stays = lease.stays_for(TimePoint()).has_value();
  return stays ? lease.stays_for(time.now()) : std::nullopt;
}

}  // namespace

LeaseProtocol::LeaseProtocol(KeyValueStore& store,
                             TimeSource& time,
                             SafetyMargin margin,
                             std::optional<Quarantine> quarantine,
                             Retention retention)
    : store_(store), time_(time), margin_(margin), quarantine_(quarantine), retention_(retention) {
  if (!quarantine_) return;
  if (const auto error = quarantine_->wrong()) detail::misused(error->detail());
}

Task<Result<AcquireOutcome>> LeaseProtocol::claim(
    LockName name, OwnerToken owner, Ttl ttl, ClaimDetails details, Asks asks) {
  if (margin_.certain_lifetime(ttl) == Duration::zero()) co_return too_short(ttl);
  if (quarantine_ && ttl > quarantine_->longest_ttl) co_return too_long(ttl, *quarantine_);
  bool may_be_held = false;
  for (int tries_left = tries_max;;) {
    // Read before sending: the store's ttl cannot begin earlier than this.
    const TimePoint sent = time_.now();
    Result<ClaimReply> claimed = co_await send_claim(name, owner, ttl, details, asks);
    --tries_left;
    asks = Asks::again;

    if (!claimed) {
      may_be_held = may_be_held || claimed.error().code() == Errc::indeterminate;
      if (claimed.error().code() == Errc::indeterminate && tries_left > 0) continue;
      if (may_be_held) co_return still_unknown(name, "claiming", claimed.error());
      co_return claimed.error();
    }
    if (auto* busy = std::get_if<Busy>(&*claimed)) {
      busy->asked = sent;
      co_return AcquireOutcome(std::move(*busy));
    }
    const auto& grant = std::get<Claimed>(*claimed);
    const std::int64_t tokens = grant.tokens == Claimed::Tokens::block ? fencing_block() : 1;
    Lease lease(name, owner, grant.fencing, ttl, sent, margin_, tokens, grant.others_queue);
    if (time_.now() < lease.certain_until()) co_return AcquireOutcome(std::move(lease));

    // Granted, but the answer took longer than the lease lasts: another client may hold the lock by
    // now.
    may_be_held = true;
    if (tries_left > 0) continue;
    const Error too_late(Errc::indeterminate, "the answer took longer than the lease lasts");
    co_return still_unknown(name, "claiming", too_late);
  }
}

Task<Result<RenewOutcome>> LeaseProtocol::renew(Lease lease) {
  const TimePoint sent = time_.now();
  const Result<OwnerCheck> renewed =
      co_await send_renewal(lease.name(), lease.owner(), lease.ttl());
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

Task<Result<ReleaseOutcome>> LeaseProtocol::release(Lease lease) {
  bool may_be_released = false;
  for (int tries_left = tries_max;;) {
    const std::optional<Ttl> rest = rest_of(lease, time_);
    const Result<OwnerCheck> released = co_await send_end(lease, rest);
    --tries_left;

    if (!released) {
      may_be_released = may_be_released || released.error().code() == Errc::indeterminate;
      if (released.error().code() == Errc::indeterminate && tries_left > 0) continue;
      if (may_be_released) co_return still_unknown(lease.name(), "releasing", released.error());
      co_return released.error();
    }
    if (*released == OwnerCheck::done) co_return ReleaseOutcome::released;
    // The lock is not ours any more. If an earlier try went unanswered, that try has most likely
    // released it, and "not holder" would be a false alarm. But a lease that was left to its owner
    // would still be there.
    co_return may_be_released && !rest ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
  }
}

OperationAwaiter<OwnerCheck> LeaseProtocol::send_end(const Lease& lease,
                                                     const std::optional<Ttl>& rest) {
  if (!rest) return send_release(lease.name(), lease.owner());
  // A last renewal: the lock ends with the rest of its time, and others wait until then.
  return send_renewal(lease.name(), lease.owner(), *rest);
}

OperationAwaiter<OwnerCheck> LeaseProtocol::send_renewal(const LockName& name,
                                                         const OwnerToken& owner,
                                                         Ttl ttl) {
  return store_.renew(lock_key(name), owner, ttl, retention_);
}

std::optional<Channel> LeaseProtocol::release_channel(const LockName& name) const {
  return interlock::release_channel(lock_key(name));
}

}  // namespace interlock
