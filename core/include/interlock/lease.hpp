// The right to act until an instant of the local clock; what an acquire gives.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// What a holder knows of its lock, by its own clock.
enum class LeaseState : std::uint8_t {
  held,     // certainly mine
  at_risk,  // certainly mine, but its renewal is overdue: finish or prepare to stop
  lost,     // no longer certainly mine: another may hold it
};
std::string_view to_string(LeaseState state) noexcept;

// Why a lock was lost.
enum class LossReason : std::uint8_t {
  not_renewed_in_time,  // no renewal was confirmed before the lease could end
  held_by_another,      // the store says that the key holds another value
  gone,                 // the store says that there is no such key: expired, erased, or data lost
  client_gone,          // its client was destroyed: nobody renews it, and it ends with its ttl
  forked,               // this process is a child of the one that holds it
};
std::string_view to_string(LossReason reason) noexcept;

// How much sooner than its ttl a lease ends for its holder, so that the holder knows of the end
// before the store can grant the lock to another client. The default covers clocks whose rates
// differ by 1 %, and 5 ms of rounding and timer delay. Source of the factor: Redlock's clock drift
// factor.
class SafetyMargin {
 public:
  static constexpr std::int64_t default_drift_ppm = 10'000;   // 1 %
  static constexpr Duration default_fixed = milliseconds{5};  // beside that

  SafetyMargin() = default;
  // `invalid_argument`: `drift_ppm`, parts of a million, is outside [0, 1'000'000], or `fixed`
  // outside [0, Ttl::longest].
  static Result<SafetyMargin> parse(std::int64_t drift_ppm, Duration fixed);
  // For constants in code; a value out of range ends the process with a message.
  SafetyMargin(std::int64_t drift_ppm, Duration fixed);

  // For how long after it was sent a claim or renewal certainly holds the lock: ttl - ttl * drift -
  // fixed, and not less than 0.
  Duration certain_lifetime(Ttl ttl) const;

 private:
  std::int64_t drift_ppm_ = default_drift_ppm;
  Duration fixed_ = default_fixed;
};

// A value: making, copying or destroying one asks no store. Times are of the local clock and
// counted from before the claim or renewal was sent, so a slow or lost reply can only make the
// lease look shorter than it is.
class Lease {
 public:
  Lease(LockName name,
        OwnerToken owner,
        FencingToken fencing,
        Ttl ttl,
        TimePoint sent,
        SafetyMargin margin,
        std::int64_t reserved = 1,
        bool others_queue = false);
  // A lease by an offer, of which the client heard at `from`. It ends at `until`, before its ttl
  // would. Its first renewal makes it as long as any other.
  Lease(LockName name,
        OwnerToken owner,
        FencingToken fencing,
        Ttl ttl,
        TimePoint from,
        TimePoint until,
        SafetyMargin margin,
        std::int64_t reserved,
        bool others_queue);

  const LockName& name() const noexcept { return name_; }
  const OwnerToken& owner() const noexcept { return owner_; }
  FencingToken fencing() const noexcept { return fencing_; }
  Ttl ttl() const noexcept { return ttl_; }
  // When the claim or renewal was sent; for a lease by an offer, when the client heard of the
  // offer.
  TimePoint sent() const noexcept { return sent_; }
  // By how much sooner than its ttl a confirmed lease ends.
  Duration margin() const noexcept { return margin_; }

  // The lease began with an offer and was not renewed since, so it is shorter than its ttl.
  bool is_by_offer() const noexcept { return certain_until_ - sent_ < ttl_.duration() - margin_; }

  // When its renewal is due: a third of its certain lifetime after sent(). By an offer: 10 ms after
  // sent() if that is sooner, so that a section which is not short has the whole ttl soon.
  TimePoint renewal_due() const noexcept;
  // The instant from which the lease is `at_risk`: after two thirds of that lifetime.
  TimePoint at_risk_from() const noexcept;
  // The instant from which the lease is `lost`.
  TimePoint certain_until() const noexcept { return certain_until_; }

  LeaseState state(TimePoint now) const noexcept;
  // The time until certain_until(); 0 after that.
  Duration remaining(TimePoint now) const noexcept;

  // The same lease, confirmed again by a request that was sent at `sent`.
  Lease renewed(TimePoint sent, SafetyMargin margin) const;

  // The same lease, which stays held until `until`, by the holder's clock, although it is released
  // before: LockProtocol::release() then leaves it in the owner's name. At most 365 days from now.
  Lease staying_until(TimePoint until) const;
  // For how long a release leaves it held, rounded up to milliseconds; none: it frees the lock.
  std::optional<Ttl> stays_for(TimePoint now) const;

  // A grant may reserve fencing tokens for several sections that follow each other. The lease of
  // the next section has the next token and ends when this one does. next() needs has_next(), and
  // after() more reserved tokens than `sections`.
  bool has_next() const noexcept { return reserved_ > 1; }
  Lease next() const { return after(1); }
  Lease after(std::int64_t sections) const;
  // How many tokens are reserved, its own included.
  std::int64_t reserved() const noexcept { return reserved_; }
  // Whether others had places in the store's queue when it was granted.
  bool others_queue() const noexcept { return others_queue_; }

 private:
  LockName name_;
  OwnerToken owner_;
  FencingToken fencing_;
  Ttl ttl_;
  TimePoint sent_;
  TimePoint certain_until_;
  Duration margin_;
  std::int64_t reserved_;  // from fencing_ on
  bool others_queue_;
  TimePoint stays_until_ = TimePoint::min();
};

}  // namespace interlock

#pragma GCC visibility pop
