#include "interlock/flawed/stamp_lock.hpp"

#include "interlock/store/lock_keys.hpp"
#include "lua/scripts.hpp"
#include "stamps.hpp"

namespace interlock::flawed {
namespace {

Reply take_over_native(Keyspace& keyspace,
                       const std::vector<Key>& keys,
                       const std::vector<std::string>& arguments) {
  const auto seen = keyspace.find(keys[0]);
  if (seen && !seen->is_string()) return Error(Errc::rejected, "WRONGTYPE");
  if (seen) {
    const auto ends = parse_stamp(seen->value);
    if (!ends || parse_stamp(arguments[1]).value_or(0) <= *ends) return Value(std::int64_t{1});
  }
  keyspace.put(keys[0], Entry(arguments[0]));
  return Value(std::int64_t{0});
}

// What the articles' clients do with an error: they log it and go on with nil or "no".
template <class T>
Result<T> hidden(const Result<T>& result, bool hide) {
  if (!result && hide) return T();
  return result;
}

}  // namespace

const Script& stamp_take_over_script() {
  static const Script script("stamp-take-over", lua::stamp_take_over, take_over_native);
  return script;
}

bool StampLock::has_ended(std::int64_t stamp, std::int64_t now) const {
  return options_.takes_at_the_edge ? now >= stamp : now > stamp;
}

std::string StampLock::stamp_of(const Lease& lease) const {
  const std::int64_t ends = counted(lease.sent()) + lease.ttl().duration() / options_.granularity;
  const std::string stamp = std::to_string(ends + 1);
  return options_.unique ? stamp + ":" + lease.owner().text() : stamp;
}

Task<Result<AcquireOutcome>> StampLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  const Key key = lock_key(name);
  const TimePoint sent = clock_.now();
  const std::int64_t now = counted(sent);
  const Lease lease = lease_without_fencing(name, owner, ttl, sent);
  const std::string stamp = stamp_of(lease);

  if (options_.take_over == TakeOver::script) {
    const Result<bool> taken = co_await take_over(key, std::string(), stamp, now);
    if (!taken) co_return taken.error();
    co_return *taken ? AcquireOutcome(lease) : busy();
  }
  const Result<bool> set = co_await store_.set_if_absent(key, stamp);
  const Result<bool> first = hidden(set, options_.hides_errors);
  if (!first) co_return first.error();
  if (*first) co_return AcquireOutcome(lease);

  const Result<std::optional<std::string>> got = co_await store_.get(key);
  const Result<std::optional<std::string>> seen = hidden(got, options_.hides_errors);
  if (!seen) co_return seen.error();
  const std::optional<std::int64_t> ends = parse_stamp(*seen);
  // Released between the two commands: right is to start at SETNX again.
  if (!ends && options_.nil == NilStamp::start_again) co_return busy();
  if (ends && !has_ended(*ends, now)) co_return busy();

  const std::string before = seen->value_or("");
  const Result<bool> taken = co_await take_over(key, before, stamp, now);
  if (!taken) co_return taken.error();
  co_return *taken ? AcquireOutcome(lease) : busy();
}

Task<Result<bool>> StampLock::take_over(Key key,
                                        std::string seen,
                                        std::string stamp,
                                        std::int64_t now) {
  if (options_.take_over == TakeOver::script) {
    const std::vector<Key> keys{key};
    const std::vector<std::string> arguments{stamp, std::to_string(now)};
    const Result<Value> reply = co_await store_.run(stamp_take_over_script(), keys, arguments);
    const Result<std::int64_t> code = number_of(reply);
    if (!code) co_return code.error();
    co_return *code == 0;
  }
  if (options_.take_over == TakeOver::del_setnx || options_.take_over == TakeOver::recheck_del) {
    co_return co_await delete_and_set(key, stamp, now);
  }
  const Result<std::optional<std::string>> exchanged = co_await store_.exchange(key, stamp);
  const Result<std::optional<std::string>> before = hidden(exchanged, options_.hides_errors);
  if (!before) co_return before.error();
  if (options_.take_over == TakeOver::getset_unchecked) co_return true;
  if (options_.take_over == TakeOver::getset_equal) co_return *before&&** before == seen;
  const std::optional<std::int64_t> old = parse_stamp(*before);
  // Nobody held it at that moment, or the one who did had let it end.
  co_return !old || has_ended(*old, now);
}

Task<Result<bool>> StampLock::delete_and_set(Key key, std::string stamp, std::int64_t now) {
  if (options_.take_over == TakeOver::recheck_del) {
    const Result<std::optional<std::string>> again = co_await store_.get(key);
    if (!again) co_return again.error();
    const std::optional<std::int64_t> ends = parse_stamp(*again);
    if (!ends || !has_ended(*ends, now)) co_return false;
  }
  const Result<bool> erased = co_await store_.erase(key);
  if (!erased) co_return erased.error();
  co_return co_await store_.set_if_absent(key, stamp);
}

Task<Result<RenewOutcome>> StampLock::renew(Lease lease) {
  co_return not_renewed(lease, options_.id);
}

Task<Result<ReleaseOutcome>> StampLock::release(Lease lease) {
  const Key key = lock_key(lease.name());
  const std::string own = stamp_of(lease);
  if (options_.release == StampRelease::compare) {
    const OwnerToken value(own);
    const Result<OwnerCheck> done = co_await store_.release(key, value);
    if (!done) co_return done.error();
    co_return *done == OwnerCheck::done ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
  }
  if (options_.release != StampRelease::blind) {
    const Result<std::optional<std::string>> seen = co_await store_.get(key);
    if (!seen) co_return seen.error();
    const std::optional<std::int64_t> ends = parse_stamp(*seen);
    const bool lives = ends && counted(clock_.now()) < *ends;
    const bool mine = options_.release == StampRelease::own_stamp ? *seen == own : lives;
    if (!mine) co_return ReleaseOutcome::not_holder;
  }
  // The check and the deletion are two steps: a take-over may fall between them.
  const Result<bool> deleted = co_await store_.erase(key);
  const Result<bool> erased = hidden(deleted, options_.hides_errors);
  if (!erased) co_return erased.error();
  co_return *erased ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

}  // namespace interlock::flawed
