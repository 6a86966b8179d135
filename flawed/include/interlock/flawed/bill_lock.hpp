// The lock of a billing system, single and for several keys at once. Do not use: see
// setnx-expire-lock, and for the batch: an error counts as success, keys that were won are
// forgotten and never expire, and two batches in different orders can starve each other.
#pragma once

#include <string>
#include <vector>

#include "interlock/flawed/edition.hpp"
#include "interlock/flawed/polling.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

// SETNX, then EXPIRE. The value is the key's own name, so nobody can tell owners apart.
class BillLock final : public LockProtocol {
 public:
  static constexpr milliseconds usual_ttl{3'000};

  BillLock(KeyValueStore& store, TimeSource& time) : store_(store), time_(time) {}
  std::string_view id() const noexcept override { return "bill-lock"; }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  // `invalid_argument`: this lock cannot be renewed.
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  // DEL, unchecked.
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName&) const override { return std::nullopt; }

  // Every 300 ms, for ever; with a `wait`, no longer than that.
  static Polling polling() { return Polling(milliseconds{300}); }

 private:
  KeyValueStore& store_;
  TimeSource& time_;
};

// Several bills at once. Not a LockProtocol: it has no name of its own. Repaired: one order for
// everybody, each key with owner and expiry in one step, and what was won is given back as soon as
// one is refused.
class BillBatch {
 public:
  static constexpr milliseconds usual_ttl{6'000};
  static constexpr milliseconds usual_pause{500};

  BillBatch(KeyValueStore& store, TimeSource& time, Edition edition = Edition::as_shipped)
      : store_(store), time_(time), edition_(edition) {}

  // True: all are held, or so it thinks. False: none is, or so it thinks. Tries once if `wait` is
  // zero, then every `usual_pause` until `wait` is over. Keys stay in the order given.
  Task<bool> try_lock(std::vector<Key> keys, OwnerToken owner, Ttl ttl, Duration wait);
  // One DEL of all; repaired: each, if the owner still has it.
  Task<void> unlock(std::vector<Key> keys, OwnerToken owner);

 private:
  Task<bool> as_shipped(std::vector<Key> keys, Ttl ttl, Duration wait);
  Task<bool> repaired(std::vector<Key> keys, OwnerToken owner, Ttl ttl, Duration wait);

  KeyValueStore& store_;
  TimeSource& time_;
  Edition edition_;
};

}  // namespace interlock::flawed
