#include "interlock/flawed/compare_script_lock.hpp"

#include "interlock/lock_keys.hpp"
#include "stamps.hpp"

namespace interlock::flawed {
namespace {

enum Code : std::int64_t { done = 0, refused = 1, wrong_type = 2 };

constexpr std::string_view lock_lua = R"lua(
local now, ttl = tonumber(ARGV[1]), tonumber(ARGV[2])
local stamp = string.format('%.0f', now + ttl)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  redis.call('SETNX', KEYS[1], stamp)
  return 0
end
if kind ~= 'string' then return 2 end
local ends = tonumber(redis.call('GET', KEYS[1]))
if ends and now > ends then
  redis.call('SET', KEYS[1], stamp)
  return 0
end
return 1
)lua";

constexpr std::string_view unlock_lua = R"lua(
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 1 end
local ends = tonumber(redis.call('GET', KEYS[1]))
if ends and ends - tonumber(ARGV[1]) == tonumber(ARGV[2]) then
  redis.call('DEL', KEYS[1])
  return 0
end
return 1
)lua";

constexpr std::string_view repaired_lock_lua = R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'string' then return 2 end
local seen = kind == 'string' and redis.call('GET', KEYS[1])
local ends = seen and tonumber(string.match(seen, '^(%d+):') or string.match(seen, '^(%d+)$'))
if seen and not (ends and now > ends) then return 1 end
redis.call('SET', KEYS[1], string.format('%.0f:', now + ARGV[2]) .. ARGV[1])
return 0
)lua";

constexpr std::string_view repaired_unlock_lua = R"lua(
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 1 end
if string.match(redis.call('GET', KEYS[1]), '^%d+:(.*)$') ~= ARGV[1] then return 1 end
redis.call('DEL', KEYS[1])
return 0
)lua";

Value code(Code which) {
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
  static const Script script("compare-script-lock", lock_lua, lock_native);
  return script;
}
const Script& compare_script_unlock_script() {
  static const Script script("compare-script-unlock", unlock_lua, unlock_native);
  return script;
}
const Script& compare_script_repaired_lock_script() {
  static const Script script("compare-script-lock-repaired", repaired_lock_lua,
                             repaired_lock_native);
  return script;
}
const Script& compare_script_repaired_unlock_script() {
  static const Script script("compare-script-unlock-repaired", repaired_unlock_lua,
                             repaired_unlock_native);
  return script;
}

Task<Result<AcquireOutcome>> CompareScriptLock::try_acquire(LockName name,
                                                            OwnerToken owner,
                                                            Ttl ttl) {
  const TimePoint created = clock_.now();
  const Lease lease = lease_without_fencing(name, owner, ttl, created);
  const std::vector<Key> keys{lock_key(name)};
  const std::string first = kind_ == Kind::repaired
                                ? owner.text()
                                : std::to_string(created.time_since_epoch() / milliseconds{1});
  const std::vector<std::string> arguments{first, std::to_string(ttl.duration().count())};
  const Script& script = kind_ == Kind::repaired ? compare_script_repaired_lock_script()
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
  if (kind_ == Kind::repaired) arguments = {lease.owner().text()};
  const Script& script = kind_ == Kind::repaired ? compare_script_repaired_unlock_script()
                                                 : compare_script_unlock_script();
  const Result<Value> reply = co_await store_.run(script, keys, arguments);
  const Result<std::int64_t> answer = number_of(reply);
  if (!answer) co_return answer.error();
  co_return *answer == done ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

}  // namespace interlock::flawed
