// The stamp lock in two scripts that compare: the loser moves nothing, and a release is checked. Do
// not use: two clients with the same instant and ttl cannot be told apart, and clients' clocks
// decide. Times are in milliseconds. Repaired: the owner stands behind the stamp, and the server's
// clock decides.
#pragma once

#include "interlock/flawed/edition.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/script.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

class CompareScriptLock final : public LockProtocol {
 public:
  CompareScriptLock(KeyValueStore& store,
                    TimeSource& wall_clock,
                    Edition edition = Edition::as_shipped)
      : store_(store), clock_(wall_clock), edition_(edition) {}

  std::string_view id() const noexcept override {
    return edition_ == Edition::as_shipped ? "compare-script-lock" : "compare-script-lock-repaired";
  }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  // `invalid_argument`: this lock cannot be renewed.
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName&) const override { return std::nullopt; }

 private:
  KeyValueStore& store_;
  TimeSource& clock_;
  Edition edition_;
};

// KEYS lock. ARGV now, ttl. 0 held; 1 busy; 2 the key is no string.
const Script& compare_script_lock_script();
// KEYS lock. ARGV instant of creation, ttl. 0 deleted; 1 not mine.
const Script& compare_script_unlock_script();
// KEYS lock. ARGV owner, ttl. 0 held; 1 busy; 2 the key is no string. Stamps are the server's.
const Script& compare_script_repaired_lock_script();
// KEYS lock. ARGV owner. 0 deleted; 1 not mine.
const Script& compare_script_repaired_unlock_script();

}  // namespace interlock::flawed
