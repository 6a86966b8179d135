#include "interlock/flawed/script_lock.hpp"

#include "interlock/store/lock_keys.hpp"
#include "lua/scripts.hpp"
#include "stamps.hpp"

namespace interlock::flawed {
namespace {

using std::chrono::seconds;

enum ScriptCode : std::int64_t { held = 0, just_released = 1, still_held = 2, somebody_faster = 3 };

Error wrong_type() {
  return {Errc::rejected, "WRONGTYPE Operation against a key holding the wrong kind of value"};
}
Error no_number() {
  return {Errc::rejected, "ERR attempt to compare nil with number"};
}

Entry ending(const Keyspace& keyspace, std::string value, std::int64_t ttl) {
  const auto now = std::chrono::floor<milliseconds>(keyspace.now().time_since_epoch());
  return {std::move(value), now + seconds{ttl + 1}};
}

Reply acquire_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const std::int64_t stamp = parse_stamp(arguments[0]).value_or(0);
  const std::int64_t ttl = parse_stamp(arguments[1]).value_or(0);
  const std::int64_t now = parse_stamp(arguments[2]).value_or(0);
  const auto seen = keyspace.find(keys[0]);
  if (!seen) {
    keyspace.put(keys[0], ending(keyspace, arguments[0], ttl));
    return Value(std::int64_t{held});
  }
  if (!seen->is_string()) return wrong_type();
  const auto ends = plain_stamp(seen->value);
  if (!ends) return no_number();
  if (*ends > now) return Value(std::int64_t{still_held});
  // The second ttl is the flaw: the stamp had one already.
  keyspace.put(keys[0], ending(keyspace, std::to_string(stamp + ttl + 1), ttl));
  return Value(std::int64_t{held});
}

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const auto seen = keyspace.find(keys[0]);
  if (!seen) return Value(std::int64_t{0});
  if (!seen->is_string()) return wrong_type();
  const auto ends = plain_stamp(seen->value);
  if (!ends) return no_number();
  if (*ends > parse_stamp(arguments[0]).value_or(0)) return Value(std::int64_t{0});
  keyspace.erase(keys[0]);
  return Value(std::int64_t{1});
}

Reply repaired_acquire_native(Keyspace& keyspace,
                              const std::vector<Key>& keys,
                              const std::vector<std::string>& arguments) {
  const auto seen = keyspace.find(keys[0]);
  if (seen) {
    if (!seen->is_string()) return wrong_type();
    const auto ends = parse_stamp(seen->value);
    if (!ends) return no_number();
    if (*ends >= parse_stamp(arguments[2]).value_or(0)) return Value(std::int64_t{still_held});
  }
  keyspace.put(keys[0], ending(keyspace, arguments[0], parse_stamp(arguments[1]).value_or(0)));
  return Value(std::int64_t{held});
}

}  // namespace

const Script& script_lock_acquire_script() {
  static const Script script("script-lock-acquire", lua::script_lock_acquire, acquire_native);
  return script;
}

const Script& script_lock_release_script() {
  static const Script script("script-lock-release", lua::script_lock_release, release_native);
  return script;
}

const Script& script_lock_repaired_acquire_script() {
  static const Script script("script-lock-repaired-acquire", lua::script_lock_repaired_acquire,
                             repaired_acquire_native);
  return script;
}

Polling ScriptLock::polling() {
  Polling how(Duration{0});
  how.attempts = 3;
  return how;
}

std::int64_t ScriptLock::now() {
  return clock_.now().time_since_epoch() / seconds{1};
}

std::string ScriptLock::value_of(const Lease& lease) const {
  const std::int64_t sent = lease.sent().time_since_epoch() / seconds{1};
  const std::string stamp = std::to_string(sent + lease.ttl().duration() / seconds{1} + 1);
  return edition_ == Edition::repaired ? stamp + ":" + lease.owner().text() : stamp;
}

Task<Result<AcquireOutcome>> ScriptLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  const TimePoint sent = clock_.now();
  const Lease lease = lease_without_fencing(name, owner, ttl, sent);
  const std::vector<Key> keys{lock_key(name)};
  const std::vector<std::string> arguments{value_of(lease),
                                           std::to_string(ttl.duration() / seconds{1}),
                                           std::to_string(sent.time_since_epoch() / seconds{1})};
  const Script& script = edition_ == Edition::repaired ? script_lock_repaired_acquire_script()
                                                       : script_lock_acquire_script();
  const Result<Value> reply = co_await store_.run(script, keys, arguments);
  const Result<std::int64_t> code = number_of(reply);
  if (!code) co_return code.error();
  co_return *code == held ? AcquireOutcome(lease) : busy();
}

Task<Result<RenewOutcome>> ScriptLock::renew(Lease lease) {
  co_return not_renewed(lease, id());
}

Task<Result<ReleaseOutcome>> ScriptLock::release(Lease lease) {
  const Key key = lock_key(lease.name());
  if (edition_ == Edition::repaired) {
    const OwnerToken value(value_of(lease));
    const Result<OwnerCheck> done = co_await store_.release(key, value);
    if (!done) co_return done.error();
    co_return *done == OwnerCheck::done ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
  }
  const std::vector<Key> keys{key};
  const std::vector<std::string> arguments{std::to_string(now())};
  const Result<Value> reply = co_await store_.run(script_lock_release_script(), keys, arguments);
  const Result<std::int64_t> deleted = number_of(reply);
  if (!deleted) co_return deleted.error();
  co_return *deleted == 1 ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

}  // namespace interlock::flawed
