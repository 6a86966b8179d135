#include "interlock/owner_scripts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace interlock {
namespace {

// A counter ends so long after the last grant: two days, or with a long ttl a long time. Two fixed
// spans, so that what is left of one tells how long ago the grant was.
constexpr milliseconds kept_briefly{std::chrono::hours{24 * 2}};
constexpr milliseconds kept_long{std::chrono::hours{24 * 400}};
constexpr milliseconds longest_brief_ttl{std::chrono::hours{24}};

milliseconds kept_for(milliseconds ttl) {
  return ttl <= longest_brief_ttl ? kept_briefly : kept_long;
}

Error wrong_type() {
  return {Errc::rejected, "WRONGTYPE Operation against a key holding the wrong kind of value"};
}

Value number(std::int64_t value) {
  return Value(value);
}

// Not more than Lua's numbers can count exactly.
constexpr std::int64_t largest_number = 9'007'199'254'740'991;

std::optional<std::int64_t> parse_number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// What no grant can have written counts as lost: to count on from it would hand out a number that
// is no token, or one that does not grow.
std::optional<std::int64_t> parse_counter(const std::optional<Entry>& counter) {
  const auto value = counter ? parse_number(counter->value) : std::nullopt;
  if (!value || *value < 1 || *value > largest_number) return std::nullopt;
  if (std::to_string(*value) != counter->value) return std::nullopt;
  return value;
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

// The order of the commands is the cheapest for a free lock: a script's calls are what a grant
// costs the server. The clock is asked although the counter would do: a replica that is promoted
// without having seen the last grant has an older counter, and would give the same number again
// (found by the search with one failover).
constexpr std::string_view claim_lua = R"lua(
local kept = tonumber(ARGV[2]) <= 86400000 and 172800000 or 34560000000
local free = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if not free then
  local holder = redis.call('GET', KEYS[1])
  if holder ~= ARGV[1] then
    local held_for = -1
    if string.sub(holder, 1, 4) == 'il1:' then
      local left = redis.call('PTTL', KEYS[2])
      if left >= 0 then
        held_for = math.max(0, (left > 345600000 and 34560000000 or 172800000) - left)
      end
    end
    return {0, holder, redis.call('PTTL', KEYS[1]), held_for}
  end
end
local counter = redis.pcall('GET', KEYS[2])
if type(counter) == 'table' then
  if free then redis.call('DEL', KEYS[1]) end
  return counter
end
local previous = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
if previous and previous > 9007199254740991 then previous = nil end
if not free then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  if previous then return {1, previous} end
end
local time = redis.call('TIME')
local fencing = math.max(1, time[1] * 1000000 + time[2])
if previous and previous >= fencing and previous < 9007199254740991 then fencing = previous + 1 end
redis.call('SET', KEYS[2], string.format('%.0f', fencing), 'PX', kept)
return {1, fencing}
)lua";

Value busy(Keyspace& keyspace, const Entry& holder, const Key& counter_key) {
  std::int64_t held_ms = -1;
  if (holder.value.starts_with(OwnerToken::mark)) {
    const auto counter = keyspace.find(counter_key);
    std::optional<milliseconds> left;
    if (counter && counter->expiry) left = *counter->expiry - now_ms(keyspace);
    if (const auto since = held_for(left)) held_ms = since->count();
  }
  return Value(std::vector<Value>{number(0), Value(holder.value),
                                  number(remaining_ms(keyspace, holder)), number(held_ms)});
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  const milliseconds ttl = parse_ttl(arguments[1]);
  const milliseconds now = now_ms(keyspace);

  const auto holder = keyspace.find(keys[0]);
  if (holder && holder->type == Entry::Type::other) return wrong_type();
  if (holder && holder->value != owner) return busy(keyspace, *holder, keys[1]);

  const auto counter = keyspace.find(keys[1]);
  if (counter && counter->type == Entry::Type::other) return wrong_type();
  keyspace.put(keys[0], Entry(owner, now + ttl));
  const auto previous = parse_counter(counter);
  // A claim by the holder itself is a reply that got lost: the same grant, the same number.
  if (holder && previous) return Value(std::vector<Value>{number(1), number(*previous)});

  const std::int64_t clock = keyspace.now().time_since_epoch().count();
  std::int64_t fencing = std::max<std::int64_t>(1, clock);
  if (previous && *previous >= fencing && *previous < largest_number) fencing = *previous + 1;
  keyspace.put(keys[1], Entry(std::to_string(fencing), now + kept_for(ttl)));
  return Value(std::vector<Value>{number(1), number(fencing)});
}

constexpr std::string_view renew_lua = R"lua(
local holder = redis.call('GET', KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local left = redis.call('PTTL', KEYS[2])
if left >= 0 and left <= 86400000 then
  redis.call('PEXPIRE', KEYS[2], left + 34387200000)
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
  const milliseconds now = now_ms(keyspace);
  holder->expiry = now + parse_ttl(arguments[1]);
  keyspace.put(keys[0], std::move(*holder));
  // From the brief span to the long one: the lock is held for days, and when it was granted must
  // stay to be read from what is left.
  auto counter = keyspace.find(keys[1]);
  if (counter && counter->expiry && *counter->expiry - now <= kept_briefly / 2) {
    *counter->expiry += kept_long - kept_briefly;
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

std::optional<milliseconds> held_for(std::optional<milliseconds> counter_left) {
  if (!counter_left) return std::nullopt;
  // Twice the brief span, because a clock that was set back makes more seem to be left.
  const milliseconds kept = *counter_left > 2 * kept_briefly ? kept_long : kept_briefly;
  return std::max(milliseconds{0}, kept - *counter_left);
}

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
