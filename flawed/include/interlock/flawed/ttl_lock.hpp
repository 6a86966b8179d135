// The lock of most client libraries: SET key token NX PX ttl. With `compare` and a store that keeps
// its data it excludes for as long as the lease lasts; each other option is a flaw that was
// shipped. Even at its best it has no fencing tokens and gives up at a lost answer: use lease-lock.
//
// Source: Redis manual, "Distributed Locks with Redis", correct implementation with a single
// instance.
#pragma once

#include <string>

#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

enum class TtlRelease : std::uint8_t {
  blind,           // DEL
  check_then_del,  // GET, and DEL if it is my token: two steps
  compare,         // one step: the repair
};

enum class TtlRenewal : std::uint8_t {
  blind,    // PEXPIRE
  set,      // SET key token PX ttl, whether another has it or nobody
  compare,  // one step: the repair
};

class TtlOptions {
 public:
  TtlOptions() = default;
  std::string id = "ttl-lock";
  TtlRelease release = TtlRelease::compare;
  TtlRenewal renewal = TtlRenewal::compare;
  // How often a release is sent again when its answer was lost or it was refused.
  int release_retries = 0;
  // False: the key has no expiry; a crash then leaves it for ever.
  bool expires = true;
  // A key that is mine already is a lock that is held: the repair of a lost answer.
  bool knows_itself = false;
};

class TtlLock final : public LockProtocol {
 public:
  TtlLock(KeyValueStore& store, TimeSource& time, TtlOptions options)
      : store_(store), time_(time), options_(std::move(options)) {}

  std::string_view id() const noexcept override { return options_.id; }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName&) const override { return std::nullopt; }

 private:
  Task<Result<bool>> release_once(Key key, std::string token);

  KeyValueStore& store_;
  TimeSource& time_;
  TtlOptions options_;
};

}  // namespace interlock::flawed
