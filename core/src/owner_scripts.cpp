#include "interlock/owner_scripts.hpp"

#include <algorithm>

#include "fencing_counter.hpp"

namespace interlock {
namespace {

// The Lua halves take one lock or many in one call, because what a call costs the server is mostly
// its commands: so what all locks have in common is asked once (the time, all counters, all
// holders), and a free lock costs two commands of its own. MGET says nothing of a key of another
// type, so where it says nothing the key is asked by itself; a refusal becomes that lock's reply
// and changes nothing of the others. What MGET said stays true for the whole script as long as no
// lock is named twice: nothing expires while a script runs, and each key is written for one lock
// alone.

// The clock is asked although the counter would do: a replica that is promoted without having seen
// the last grant has an older counter, and would give the same number again (found by the search
// with one failover). It is compared as text, which for as many digits is the same and cheaper:
// a counter that sorts before the clock is either smaller or no number, and then counts as lost.
constexpr std::string_view claim_lua = R"lua(
local call, pcall, keys, argv = redis.call, redis.pcall, KEYS, ARGV
local locks, ttl = #keys / 2, argv[1]
local counters = call('MGET', unpack(keys, locks + 1))
local time = call('TIME')
local clock = time[1] .. string.sub('00000' .. time[2], -6)
local clock_number, digits = tonumber(clock), #clock
local kept = tonumber(ttl) <= 86400000 and '172800000' or '34560000000'

local function busy(lock, holder, counter_key)
  local held_for = -1
  if string.sub(holder, 1, 4) == 'il1:' then
    local left = call('PTTL', counter_key)
    if left >= 0 then
      held_for = math.max(0, (left > 345600000 and 34560000000 or 172800000) - left)
    end
  end
  return {0, holder, call('PTTL', lock), held_for}
end

local function grant(counter_key, fencing)
  call('SET', counter_key, fencing, 'PX', kept)
  return tonumber(fencing)
end

-- Held, or granted again, or without a counter that says that the clock is next.
local function look_closely(lock, counter_key, owner, free)
  local holder = free and owner or pcall('GET', lock)
  if type(holder) == 'table' then return holder end
  if holder ~= owner then return busy(lock, holder, counter_key) end
  local counter = pcall('GET', counter_key)
  if type(counter) == 'table' then
    if free then call('DEL', lock) end
    return counter
  end
  local previous = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
  if previous and previous > 9007199254740991 then previous = nil end
  if not free then
    call('PEXPIRE', lock, ttl)
    if previous then return previous end
  end
  if previous and previous >= clock_number and previous < 9007199254740991 then
    return grant(counter_key, string.format('%.0f', previous + 1))
  end
  return grant(counter_key, clock)
end

local replies = {}
for n = 1, locks do
  local lock, counter_key, owner, counter = keys[n], keys[locks + n], argv[n + 1], counters[n]
  local free = call('SET', lock, owner, 'NX', 'PX', ttl)
  if free and counter and #counter == digits and counter < clock then
    call('SET', counter_key, clock, 'PX', kept)
    replies[n] = clock_number
  else
    replies[n] = look_closely(lock, counter_key, owner, free)
  end
end
return locks == 1 and replies[1] or replies
)lua";

Value busy(Keyspace& keyspace, const Entry& holder, const Key& counter_key) {
  const std::int64_t held = held_ms(keyspace, holder, keyspace.find(counter_key));
  return Value(std::vector<Value>{Value(0), Value(holder.value),
                                  Value(remaining_ms(keyspace, holder)), Value(held)});
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  const milliseconds ttl = parse_ms(arguments[1]);
  const milliseconds now = now_ms(keyspace);

  const auto holder = keyspace.find(keys[0]);
  if (holder && !holder->is_string()) return wrong_type();
  if (holder && holder->value != owner) return busy(keyspace, *holder, keys[1]);

  const auto counter = keyspace.find(keys[1]);
  if (counter && !counter->is_string()) return wrong_type();
  keyspace.put(keys[0], Entry(owner, now + ttl));
  const auto previous = parse_counter(counter);
  // A claim by the holder itself is a reply that got lost: the same grant, the same number.
  if (holder && previous) return Value(std::vector<Value>{Value(1), Value(*previous)});

  const std::int64_t clock = keyspace.now().time_since_epoch().count();
  std::int64_t fencing = std::max<std::int64_t>(1, clock);
  if (previous && *previous >= fencing && *previous < largest_fencing) fencing = *previous + 1;
  keyspace.put(keys[1], Entry(std::to_string(fencing), now + kept_for(ttl)));
  return Value(std::vector<Value>{Value(1), Value(fencing)});
}

constexpr std::string_view renew_lua = R"lua(
local call, keys, argv = redis.call, KEYS, ARGV
local locks = #keys / 2
local holders = call('MGET', unpack(keys, 1, locks))
local replies = {}
for n = 1, locks do
  local holder = holders[n] or redis.pcall('GET', keys[n])
  if type(holder) == 'table' then
    replies[n] = holder
  elseif holder ~= argv[n + 1] then
    replies[n] = holder and -1 or 0
  else
    call('PEXPIRE', keys[n], argv[1])
    local left = call('PTTL', keys[locks + n])
    if left >= 0 and left <= 86400000 then
      call('PEXPIRE', keys[locks + n], left + 34387200000)
    end
    replies[n] = 1
  end
end
return locks == 1 and replies[1] or replies
)lua";

Reply renew_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  auto holder = keyspace.find(keys[0]);
  if (!holder) return Value(0);
  if (!holder->is_string()) return wrong_type();
  if (holder->value != arguments[0]) return Value(-1);
  const milliseconds now = now_ms(keyspace);
  holder->expiry = now + parse_ms(arguments[1]);
  keyspace.put(keys[0], std::move(*holder));
  // From the brief span to the long one: the lock is held for days, and when it was granted must
  // stay to be read from what is left.
  auto counter = keyspace.find(keys[1]);
  if (counter && counter->expiry && *counter->expiry - now <= kept_briefly / 2) {
    *counter->expiry += kept_long - kept_briefly;
    keyspace.put(keys[1], std::move(*counter));
  }
  return Value(1);
}

// A release that finds its key gone publishes as well: the key was deleted by hand or evicted, and
// nobody has announced that. The one DEL comes last, so that the script has changed nothing if the
// server refuses the DEL, or the user may not publish. Subscribers get messages only after the
// script has ended. With many locks, most have no waiter, and one NUMSUB for all is cheaper than a
// PUBLISH for each. It counts the subscribers of this server, where ours are, and leaves out those
// with a pattern.
constexpr std::string_view release_lua = R"lua(
local call, keys, argv, locks = redis.call, KEYS, ARGV, #KEYS
local holders = call('MGET', unpack(keys))
local listeners
if locks > 1 and call('PUBSUB', 'NUMPAT') == 0 then
  listeners = call('PUBSUB', 'NUMSUB', unpack(argv, locks + 1))
end
local replies, released, size = {}, {}, 0
for n = 1, locks do
  local holder = holders[n]
  if holder ~= argv[n] then holder = holder or redis.pcall('GET', keys[n]) end
  if not holder or holder == argv[n] then
    if not listeners or listeners[2 * n] > 0 then call('PUBLISH', argv[locks + n], '') end
    replies[n] = 0
    if holder then
      size = size + 1
      released[size] = keys[n]
      replies[n] = 1
    end
  else
    replies[n] = type(holder) == 'table' and holder or -1
  end
end
if size > 0 then call('DEL', unpack(released)) end
return locks == 1 and replies[1] or replies
)lua";

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const auto holder = keyspace.find(keys[0]);
  if (holder && !holder->is_string()) return wrong_type();
  if (holder && holder->value != arguments[0]) return Value(-1);
  if (holder) keyspace.erase(keys[0]);
  keyspace.publish(Channel(arguments[1]), "");
  return Value(holder ? 1 : 0);
}

}  // namespace

std::optional<milliseconds> held_for(std::optional<milliseconds> counter_left) {
  if (!counter_left) return std::nullopt;
  // Twice the brief span, because a clock that was set back makes more seem to be left.
  const milliseconds kept = *counter_left > 2 * kept_briefly ? kept_long : kept_briefly;
  return std::max(milliseconds{0}, kept - *counter_left);
}

const OwnerScript& claim_script() {
  static const OwnerScript script("claim", claim_lua, claim_native);
  return script;
}

const OwnerScript& renew_script() {
  static const OwnerScript script("renew", renew_lua, renew_native);
  return script;
}

const OwnerScript& release_script() {
  static const OwnerScript script("release", release_lua, release_native);
  return script;
}

}  // namespace interlock
