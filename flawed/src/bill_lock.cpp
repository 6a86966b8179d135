#include "interlock/flawed/bill_lock.hpp"

#include <algorithm>

#include "interlock/store/lock_keys.hpp"
#include "stamps.hpp"

namespace interlock::flawed {

Task<Result<AcquireOutcome>> BillLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  const Key key = lock_key(name);
  const Lease lease = lease_without_fencing(name, owner, ttl, time_.now());
  const Result<bool> set = co_await store_.set_if_absent(key, key.text());
  if (!set) co_return set.error();
  if (!*set) co_return busy();
  const Result<bool> limited = co_await store_.expire(key, ttl.duration());
  if (!limited) co_return limited.error();
  co_return AcquireOutcome(lease);
}

Task<Result<RenewOutcome>> BillLock::renew(Lease lease) {
  co_return not_renewed(lease, id());
}

Task<Result<ReleaseOutcome>> BillLock::release(Lease lease) {
  const Result<bool> erased = co_await store_.erase(lock_key(lease.name()));
  if (!erased) co_return erased.error();
  co_return *erased ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

Task<bool> BillBatch::try_lock(std::vector<Key> keys, OwnerToken owner, Ttl ttl, Duration wait) {
  if (edition_ == Edition::repaired) co_return co_await repaired(keys, owner, ttl, wait);
  co_return co_await as_shipped(keys, ttl, wait);
}

// The original sends a round of SETNX through a pipeline, which is no more atomic than one after
// the other. `missing` shrinks from round to round, but the replies are still counted through
// `keys`.
Task<bool> BillBatch::as_shipped(std::vector<Key> keys, Ttl ttl, Duration wait) {
  const TimePoint ends = time_.now() + wait;
  std::vector<Key> missing = keys;
  std::vector<Key> won;
  for (;;) {
    std::vector<bool> replies;
    for (const Key& key : missing) {
      const Result<bool> set = co_await store_.set_if_absent(key, key.text());
      // The original catches every exception of a round, logs it, and leaves through the end.
      if (!set) co_return true;
      replies.push_back(*set);
    }
    for (std::size_t at = 0; at < replies.size(); ++at) {
      if (!replies[at]) continue;
      const Result<bool> limited = co_await store_.expire(keys[at], ttl.duration());
      if (!limited) co_return true;
      won.push_back(keys[at]);
    }
    if (won.size() >= keys.size()) co_return true;
    missing.clear();
    for (const Key& key : keys) {
      if (std::find(won.begin(), won.end(), key) == won.end()) missing.push_back(key);
    }
    if (time_.now() + usual_pause > ends) break;
    co_await time_.sleep_until(time_.now() + usual_pause);
  }
  for (const Key& key : won) static_cast<void>(co_await store_.erase(key));
  co_return false;
}

Task<bool> BillBatch::repaired(std::vector<Key> keys, OwnerToken owner, Ttl ttl, Duration wait) {
  std::sort(keys.begin(), keys.end());
  const std::optional<milliseconds> px = ttl.duration();
  const TimePoint ends = time_.now() + wait;
  for (;;) {
    // All in this round, or none: so the keys expire together, and nobody waits with one in hand.
    std::size_t held = 0;
    for (const Key& key : keys) {
      const Result<bool> set = co_await store_.set_if_absent(key, owner.text(), px);
      // An answer that was lost may have been a grant: given back below, if it was.
      if (!set) ++held;
      if (!set || !*set) break;
      ++held;
      if (held == keys.size()) co_return true;
    }
    for (std::size_t at = 0; at < held; ++at) {
      static_cast<void>(co_await store_.release(keys[at], owner));
    }
    if (time_.now() + usual_pause > ends) co_return false;
    co_await time_.sleep_until(time_.now() + usual_pause);
  }
}

Task<void> BillBatch::unlock(std::vector<Key> keys, OwnerToken owner) {
  for (const Key& key : keys) {
    if (edition_ == Edition::repaired) {
      static_cast<void>(co_await store_.release(key, owner));
    } else {
      static_cast<void>(co_await store_.erase(key));
    }
  }
}

}  // namespace interlock::flawed
