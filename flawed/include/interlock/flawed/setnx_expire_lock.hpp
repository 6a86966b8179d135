// SETNX, then EXPIRE. Do not use: a client that crashes between the two leaves the lock taken for
// ever, and the release deletes whatever is there.
#pragma once

#include <string>

#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

class SetnxExpireLock final : public LockProtocol {
 public:
  SetnxExpireLock(KeyValueStore& store, TimeSource& time) : store_(store), time_(time) {}

  std::string_view id() const noexcept override { return "setnx-expire-lock"; }
  // The value is `1` for every client. Trying again while one holds the lock is Busy.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  // EXPIRE once more, even if the key is another client's by now.
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName&) const override { return std::nullopt; }

 private:
  KeyValueStore& store_;
  TimeSource& time_;
};

}  // namespace interlock::flawed
