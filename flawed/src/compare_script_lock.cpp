#include "interlock/flawed/compare_script_lock.hpp"

#include "interlock/store/lock_keys.hpp"
#include "lua/scripts.hpp"
#include "stamps.hpp"

namespace interlock::flawed {
namespace {

enum CompareCode : std::int64_t { done = 0, refused = 1, wrong_type = 2 };

Value code(CompareCode which) {
  return Value(std::int64_t{which});
}

Reply lock_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& arguments) {
  const std::int64_t now = parse_stamp(arguments[0]).value_or(0);
  const std::int64_t ttl = parse_stamp(arguments[1]).value_or(0);
  const auto seen = keyspace.find(keys[0]);
  if (seen && !seen->is_string()) return code(wrong_type);
  if (seen) {
    const auto ends = plain_stamp(seen->value);
    if (!ends || now <= *ends) return code(refused);
  }
  keyspace.put(keys[0], Entry(std::to_string(now + ttl)));
  return code(done);
}

Reply unlock_native(Keyspace& keyspace,
                    const std::vector<Key>& keys,
                    const std::vector<std::string>& arguments) {
  const auto seen = keyspace.find(keys[0]);
  if (!seen || !seen->is_string()) return code(refused);
  const auto ends = plain_stamp(seen->value);
  const std::int64_t created = parse_stamp(arguments[0]).value_or(0);
  if (!ends || *ends - created != parse_stamp(arguments[1]).value_or(0)) return code(refused);
  keyspace.erase(keys[0]);
  return code(done);
}

Reply repaired_lock_native(Keyspace& keyspace,
                           const std::vector<Key>& keys,
                           const std::vector<std::string>& arguments) {
  const std::int64_t now =
      std::chrono::floor<milliseconds>(keyspace.now().time_since_epoch()).count();
  const auto seen = keyspace.find(keys[0]);
  if (seen && !seen->is_string()) return code(wrong_type);
  if (seen) {
    const auto ends = parse_stamp(seen->value);
    if (!ends || now <= *ends) return code(refused);
  }
  const std::string stamp = std::to_string(now + parse_stamp(arguments[1]).value_or(0));
  keyspace.put(keys[0], Entry(stamp + ":" + arguments[0]));
  return code(done);
}

Reply repaired_unlock_native(Keyspace& keyspace,
                             const std::vector<Key>& keys,
                             const std::vector<std::string>& arguments) {
  const auto seen = keyspace.find(keys[0]);
  if (!seen || !seen->is_string()) return code(refused);
  const std::size_t colon = seen->value.find(':');
  const bool stamped = colon != std::string::npos && colon > 0 &&
                       seen->value.find_first_not_of("0123456789") == colon;
  if (!stamped || seen->value.substr(colon + 1) != arguments[0]) return code(refused);
  keyspace.erase(keys[0]);
  return code(done);
}

}  // namespace

const Script& compare_script_lock_script() {
  static const Script script("compare-script-lock", lua::compare_script_lock, lock_native);
  return script;
}
const Script& compare_script_unlock_script() {
  static const Script script("compare-script-unlock", lua::compare_script_unlock, unlock_native);
  return script;
}
const Script& compare_script_repaired_lock_script() {
  static const Script script("compare-script-lock-repaired", lua::compare_script_repaired_lock,
                             repaired_lock_native);
  return script;
}
const Script& compare_script_repaired_unlock_script() {
  static const Script script("compare-script-unlock-repaired", lua::compare_script_repaired_unlock,
                             repaired_unlock_native);
  return script;
}

Task<Result<AcquireOutcome>> CompareScriptLock::try_acquire(LockName name,
                                                            OwnerToken owner,
                                                            Ttl ttl) {
  const TimePoint created = clock_.now();
  const Lease lease = lease_without_fencing(name, owner, ttl, created);
  const std::vector<Key> keys{lock_key(name)};
  const std::string first = edition_ == Edition::repaired
                                ? owner.text()
                                : std::to_string(created.time_since_epoch() / milliseconds{1});
  const std::vector<std::string> arguments{first, std::to_string(ttl.duration().count())};
  const Script& script = edition_ == Edition::repaired ? compare_script_repaired_lock_script()
                                                       : compare_script_lock_script();
  const Result<Value> reply = co_await store_.run(script, keys, arguments);
  const Result<std::int64_t> answer = number_of(reply);
  if (!answer) co_return answer.error();
  if (*answer == wrong_type) {
    co_return Error(Errc::rejected,
                    "acquiring '" + name.text() + "': its key is no string: choose another name");
  }
  co_return *answer == done ? AcquireOutcome(lease) : busy();
}

Task<Result<RenewOutcome>> CompareScriptLock::renew(Lease lease) {
  co_return not_renewed(lease, id());
}

Task<Result<ReleaseOutcome>> CompareScriptLock::release(Lease lease) {
  const std::vector<Key> keys{lock_key(lease.name())};
  const std::int64_t created = lease.sent().time_since_epoch() / milliseconds{1};
  const std::string ttl = std::to_string(lease.ttl().duration().count());
  std::vector<std::string> arguments{std::to_string(created), ttl};
  if (edition_ == Edition::repaired) arguments = {lease.owner().text()};
  const Script& script = edition_ == Edition::repaired ? compare_script_repaired_unlock_script()
                                                       : compare_script_unlock_script();
  const Result<Value> reply = co_await store_.run(script, keys, arguments);
  const Result<std::int64_t> answer = number_of(reply);
  if (!answer) co_return answer.error();
  co_return *answer == done ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

}  // namespace interlock::flawed
