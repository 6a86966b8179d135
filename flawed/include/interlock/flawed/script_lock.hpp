// The stamp lock inside one server-side script. Do not use: its release does the opposite of what
// it should, its take-over counts the ttl twice, its pause is cut down to none, and clients' clocks
// decide. Every time is in whole seconds. Repaired: the ttl counts once; the key holds the owner as
// well, and only the owner deletes.
#pragma once

#include "interlock/flawed/edition.hpp"
#include "interlock/flawed/polling.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/script.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

class ScriptLock final : public LockProtocol {
 public:
  ScriptLock(KeyValueStore& store, TimeSource& wall_clock, Edition edition = Edition::as_shipped)
      : store_(store), clock_(wall_clock), edition_(edition) {}

  std::string_view id() const noexcept override {
    return edition_ == Edition::as_shipped ? "script-lock" : "script-lock-repaired";
  }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  // `invalid_argument`: this lock cannot be renewed.
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName&) const override { return std::nullopt; }

  // Three tries; 0.3 s between them, which its language turned into none.
  static Polling polling();

 private:
  std::int64_t now();
  std::string value_of(const Lease& lease) const;

  KeyValueStore& store_;
  TimeSource& clock_;
  Edition edition_;
};

// KEYS lock. ARGV stamp (now + ttl + 1), ttl, now. 0 held; 1 just released: try again; 2 still
// held; 3 somebody was faster: try again.
const Script& script_lock_acquire_script();
// KEYS lock. ARGV now. Deletes if the stamp has *ended*: how many keys it has deleted.
const Script& script_lock_release_script();
// KEYS lock. ARGV stamp with owner, ttl, now. 0 held; 2 still held.
const Script& script_lock_repaired_acquire_script();

}  // namespace interlock::flawed
