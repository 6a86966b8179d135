#include "interlock/owner_scripts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace interlock {
namespace {

constexpr milliseconds fencing_counter_kept{std::chrono::hours{24}};

Error wrong_type() {
  return {Errc::rejected, "WRONGTYPE Operation against a key holding the wrong kind of value"};
}

Value number(std::int64_t value) {
  return Value(value);
}

// Digits alone, and not more than Lua's numbers can count exactly.
constexpr std::uint64_t largest_number = 9'007'199'254'740'991;
std::optional<std::int64_t> parse_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > largest_number) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// What no grant can have written counts as lost: to count on from it would hand out a number that
// is no token, or one that does not grow.
std::optional<std::int64_t> parse_counter(const std::string& text) {
  const auto value = parse_number(text);
  return value > 0 ? value : std::nullopt;
}

// The ttl comes from a Ttl and is always a number.
milliseconds parse_ttl(const std::string& text) {
  return milliseconds{*parse_number(text)};
}

milliseconds now_ms(const Keyspace& keyspace) {
  return std::chrono::floor<milliseconds>(keyspace.now().time_since_epoch());
}

std::int64_t remaining_ms(const Keyspace& keyspace, const Entry& entry) {
  return entry.expiry ? (*entry.expiry - now_ms(keyspace)).count() : -1;
}

constexpr std::string_view claim_lua = R"lua(
local holder = redis.call('GET', KEYS[1])
local counter = redis.call('GET', KEYS[2])
local previous = counter and tonumber(string.match(counter, '^%d+$'))
if previous and (previous < 1 or previous > 9007199254740991) then previous = nil end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if holder and holder ~= ARGV[1] then
  local held_for = -1
  if previous and string.sub(holder, 1, 4) == 'il1:' then
    held_for = math.max(0, math.floor((now - previous) / 1000))
  end
  return {0, holder, redis.call('PTTL', KEYS[1]), held_for}
end
local fencing = previous
if not holder or not previous then
  fencing = math.max((previous or 0) + 1, now)
end
redis.call('SET', KEYS[2], string.format('%.0f', fencing), 'PX', ARGV[2] + 86400000)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, fencing}
)lua";

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const Key& lock = keys[0];
  const Key& counter = keys[1];
  const std::string& owner = arguments[0];
  const milliseconds ttl = parse_ttl(arguments[1]);

  const auto holder = keyspace.find(lock);
  if (holder && holder->type == Entry::Type::other) return wrong_type();
  const auto counted = keyspace.find(counter);
  if (counted && counted->type == Entry::Type::other) return wrong_type();
  const std::optional<std::int64_t> previous = parse_counter(counted ? counted->value : "");
  const std::int64_t now = keyspace.now().time_since_epoch().count();

  if (holder && holder->value != owner) {
    std::int64_t held_for = -1;
    if (previous.has_value() && OwnerToken(holder->value).announces_release()) {
      held_for = std::max<std::int64_t>(0, (now - previous.value_or(now)) / 1000);
    }
    return Value(std::vector<Value>{number(0), Value(holder->value),
                                    number(remaining_ms(keyspace, *holder)), number(held_for)});
  }
  // A claim by the holder itself is a reply that got lost: the same grant, the same number.
  const bool granted_before = holder && previous;
  const std::int64_t fencing =
      granted_before ? previous.value_or(0) : std::max(previous.value_or(0) + 1, now);
  keyspace.put(counter,
               Entry(std::to_string(fencing), now_ms(keyspace) + ttl + fencing_counter_kept));
  keyspace.put(lock, Entry(owner, now_ms(keyspace) + ttl));
  return Value(std::vector<Value>{number(1), number(fencing)});
}

constexpr std::string_view renew_lua = R"lua(
local holder = redis.call('GET', KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local counter_ends = redis.call('PTTL', KEYS[2])
if counter_ends >= 0 and counter_ends < ARGV[2] + 43200000 then
  redis.call('PEXPIRE', KEYS[2], ARGV[2] + 86400000)
end
return 1
)lua";

Reply renew_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  auto holder = keyspace.find(keys[0]);
  if (!holder) return number(0);
  if (holder->type == Entry::Type::other) return wrong_type();
  if (holder->value != arguments[0]) return number(-1);
  const milliseconds lock_ends = now_ms(keyspace) + parse_ttl(arguments[1]);
  holder->expiry = lock_ends;
  keyspace.put(keys[0], std::move(*holder));
  // Not at every renewal: it is a write more, and half a day to spare is plenty.
  auto counter = keyspace.find(keys[1]);
  if (counter && counter->expiry && *counter->expiry < lock_ends + fencing_counter_kept / 2) {
    counter->expiry = lock_ends + fencing_counter_kept;
    keyspace.put(keys[1], std::move(*counter));
  }
  return number(1);
}

constexpr std::string_view release_lua = R"lua(
local holder = redis.call('GET', KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '')
return 1
)lua";

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const auto holder = keyspace.find(keys[0]);
  if (!holder) return number(0);
  if (holder->type == Entry::Type::other) return wrong_type();
  if (holder->value != arguments[0]) return number(-1);
  keyspace.erase(keys[0]);
  keyspace.publish(Channel(arguments[1]), "");
  return number(1);
}

}  // namespace

const Script& claim_script() {
  static const Script script("claim", claim_lua, claim_native);
  return script;
}

const Script& renew_script() {
  static const Script script("renew", renew_lua, renew_native);
  return script;
}

const Script& release_script() {
  static const Script script("release", release_lua, release_native);
  return script;
}

}  // namespace interlock
