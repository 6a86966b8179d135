// The lock that Redis' own manual once taught, and its broken twin: the key holds the instant at
// which the lease ends, by the clock of whoever wrote it, and has no expiry in the store.
// Source: Redis manual, SETNX, "Design pattern: locking with SETNX" (2010).
#pragma once

#include "interlock/key_value_store.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/sim/client.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/time_source.hpp"

namespace interlock::sim::catalogue {

// How an ended lease is taken over.
enum class TakeOver : std::uint8_t {
  getset,     // GETSET; held if the stamp before is in the past, too
  del_setnx,  // DEL, then SETNX: two clients that both saw the old stamp may both get through
};

// Not for use: a lesson. Promises little: no owner is known, clocks of clients decide.
class StampLock final : public LockProtocol {
 public:
  // `wall_clock` is compared with the stamps of other clients. `granularity` is what a stamp
  // counts in: whole seconds in the wild.
  StampLock(KeyValueStore& store,
            TimeSource& wall_clock,
            TakeOver take_over,
            Duration granularity = std::chrono::seconds{1})
      : store_(store), clock_(wall_clock), take_over_(take_over), granularity_(granularity) {}

  std::string_view id() const noexcept override {
    return take_over_ == TakeOver::getset ? "stamp-lock" : "del-setnx-lock";
  }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  // Stamp locks are not renewed: `invalid_argument`.
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName& name) const override;

 private:
  std::int64_t now();

  KeyValueStore& store_;
  TimeSource& clock_;
  TakeOver take_over_;
  Duration granularity_;
};

// A client that tries up to `attempts` times, an instant apart, enters once, and releases.
Program stamp_client(TakeOver take_over, std::int64_t attempts, Ttl ttl);

// `clients` of them, an expired lock of a crashed one in their way, mutual exclusion required.
Scenario stamp_lock_scenario(TakeOver take_over,
                             std::size_t clients,
                             std::int64_t attempts,
                             std::size_t instants);

}  // namespace interlock::sim::catalogue
