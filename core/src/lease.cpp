#include "interlock/lease.hpp"

#include <algorithm>
#include <optional>

#include "interlock/detail/assert.hpp"

namespace interlock {
namespace {

// Sections that are shorter cost no renewal. Longer ones are at the mercy of an outage for no
// longer.
constexpr Duration offer_is_renewed_after = milliseconds{10};

}  // namespace

std::string_view to_string(LeaseState state) noexcept {
  switch (state) {
    case LeaseState::held:
      return "held";
    case LeaseState::at_risk:
      return "at risk";
    case LeaseState::lost:
      return "lost";
  }
  return "unknown";
}

std::string_view to_string(LossReason reason) noexcept {
  switch (reason) {
    case LossReason::not_renewed_in_time:
      return "no renewal was confirmed in time";
    case LossReason::held_by_another:
      return "another holds it";
    case LossReason::gone:
      return "its key is gone from the store";
    case LossReason::client_gone:
      return "its client was destroyed";
    case LossReason::forked:
      return "the parent of this process holds it";
  }
  return "unknown";
}

namespace {

std::optional<std::string> wrong_with_margin(std::int64_t drift_ppm, Duration fixed) {
  if (drift_ppm < 0 || drift_ppm > 1'000'000) {
    return "safety margin: drift of " + std::to_string(drift_ppm) +
           " ppm is out of range: choose 0 to 1000000";
  }
  if (fixed < Duration::zero() || fixed > Ttl::longest) {
    return "safety margin: fixed part of " + std::to_string(fixed.count()) +
           " us is out of range: choose 0 to 365 days";
  }
  return std::nullopt;
}

}  // namespace

Result<SafetyMargin> SafetyMargin::parse(std::int64_t drift_ppm, Duration fixed) {
  if (auto wrong = wrong_with_margin(drift_ppm, fixed)) {
    return Error(Errc::invalid_argument, *std::move(wrong));
  }
  return SafetyMargin(drift_ppm, fixed);
}

SafetyMargin::SafetyMargin(std::int64_t drift_ppm, Duration fixed)
    : drift_ppm_(drift_ppm), fixed_(fixed) {
  if (const auto wrong = wrong_with_margin(drift_ppm, fixed)) detail::misused(*wrong);
}

Duration SafetyMargin::certain_lifetime(Ttl ttl) const {
  const Duration whole = ttl.duration();
  // Divides first, because a year of microseconds times a million does not fit into 64 bits.
  const Duration drift =
      whole / 1'000'000 * drift_ppm_ + whole % 1'000'000 * drift_ppm_ / 1'000'000;
  return std::max(Duration::zero(), whole - drift - fixed_);
}

Lease::Lease(LockName name,
             OwnerToken owner,
             FencingToken fencing,
             Ttl ttl,
             TimePoint sent,
             SafetyMargin margin,
             std::int64_t reserved,
             bool others_queue)
    : name_(std::move(name)),
      owner_(std::move(owner)),
      fencing_(fencing),
      ttl_(ttl),
      sent_(sent),
      certain_until_(sent + margin.certain_lifetime(ttl)),
      margin_(ttl.duration() - margin.certain_lifetime(ttl)),
      reserved_(reserved),
      others_queue_(others_queue) {}

Lease::Lease(LockName name,
             OwnerToken owner,
             FencingToken fencing,
             Ttl ttl,
             TimePoint from,
             TimePoint until,
             SafetyMargin margin,
             std::int64_t reserved,
             bool others_queue)
    : Lease(std::move(name), std::move(owner), fencing, ttl, from, margin, reserved, others_queue) {
  certain_until_ = until;
}

Lease Lease::staying_until(TimePoint until) const {
  Lease staying = *this;
  staying.stays_until_ = until;
  return staying;
}

std::optional<Ttl> Lease::stays_for(TimePoint now) const {
  if (stays_until_ <= now) return std::nullopt;
  return Ttl(std::min(std::chrono::ceil<milliseconds>(stays_until_ - now), Ttl::longest));
}

TimePoint Lease::renewal_due() const noexcept {
  const Duration third = (certain_until_ - sent_) / 3;
  return sent_ + (is_by_offer() ? std::min(third, offer_is_renewed_after) : third);
}

TimePoint Lease::at_risk_from() const noexcept {
  return sent_ + (certain_until_ - sent_) * 2 / 3;
}

LeaseState Lease::state(TimePoint now) const noexcept {
  if (now >= certain_until_) return LeaseState::lost;
  return now >= at_risk_from() ? LeaseState::at_risk : LeaseState::held;
}

Duration Lease::remaining(TimePoint now) const noexcept {
  return std::max(Duration::zero(), certain_until_ - now);
}

Lease Lease::renewed(TimePoint sent, SafetyMargin margin) const {
  Lease again(name_, owner_, fencing_, ttl_, sent, margin, reserved_, others_queue_);
  again.stays_until_ = stays_until_;
  return again;
}

Lease Lease::after(std::int64_t sections) const {
  INTERLOCK_ASSERT(sections >= 0 && sections < reserved_);
  Lease later = *this;
  later.fencing_ = FencingToken(fencing_.value() + static_cast<std::uint64_t>(sections));
  later.reserved_ -= sections;
  return later;
}

}  // namespace interlock
