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
local call, pcall = redis.call, redis.pcall
local locks = #KEYS / 2
local counters = call('MGET', unpack(KEYS, locks + 1))
local time = call('TIME')
local clock = time[1] .. string.sub('00000' .. time[2], -6)
local ttl = ARGV[1]
local kept = tonumber(ttl) <= 86400000 and '172800000' or '34560000000'
local replies = {}
for n = 1, locks do
  local lock, counter_key, owner = KEYS[n], KEYS[locks + n], ARGV[n + 1]
  local free = call('SET', lock, owner, 'NX', 'PX', ttl)
  local counter = counters[n]
  local fencing, reply = clock, nil
  if not free or not counter or #counter ~= #clock or counter >= clock then
    local holder = free and owner or pcall('GET', lock)
    counter = holder == owner and pcall('GET', counter_key)
    if type(holder) == 'table' then
      reply = holder
    elseif holder ~= owner then
      local held_for = -1
      if string.sub(holder, 1, 4) == 'il1:' then
        local left = call('PTTL', counter_key)
        if left >= 0 then
          held_for = math.max(0, (left > 345600000 and 34560000000 or 172800000) - left)
        end
      end
      reply = {0, holder, call('PTTL', lock), held_for}
    elseif type(counter) == 'table' then
      if free then call('DEL', lock) end
      reply = counter
    else
      local previous = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
      if previous and previous > 9007199254740991 then previous = nil end
      if not free then
        call('PEXPIRE', lock, ttl)
        reply = previous
      end
      if previous and previous >= tonumber(clock) and previous < 9007199254740991 then
        fencing = string.format('%.0f', previous + 1)
      end
    end
  end
  if not reply then
    call('SET', counter_key, fencing, 'PX', kept)
    reply = tonumber(fencing)
  end
  replies[n] = reply
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
  if (holder && holder->type == Entry::Type::other) return wrong_type();
  if (holder && holder->value != owner) return busy(keyspace, *holder, keys[1]);

  const auto counter = keyspace.find(keys[1]);
  if (counter && counter->type == Entry::Type::other) return wrong_type();
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
local call = redis.call
local locks = #KEYS / 2
local holders = call('MGET', unpack(KEYS, 1, locks))
local replies = {}
for n = 1, locks do
  local holder = holders[n] or redis.pcall('GET', KEYS[n])
  if type(holder) == 'table' then
    replies[n] = holder
  elseif holder ~= ARGV[n + 1] then
    replies[n] = holder and -1 or 0
  else
    call('PEXPIRE', KEYS[n], ARGV[1])
    local left = call('PTTL', KEYS[locks + n])
    if left >= 0 and left <= 86400000 then
      call('PEXPIRE', KEYS[locks + n], left + 34387200000)
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
  if (holder->type == Entry::Type::other) return wrong_type();
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

// The one DEL comes last: a server that refuses it, or a user who may not tell a channel, has then
// changed nothing. Nobody hears a message before the script has ended.
constexpr std::string_view release_lua = R"lua(
local call = redis.call
local holders = call('MGET', unpack(KEYS))
local replies, released = {}, {}
for n = 1, #KEYS do
  local holder = holders[n] or redis.pcall('GET', KEYS[n])
  if type(holder) == 'table' then
    replies[n] = holder
  elseif holder ~= ARGV[n] then
    replies[n] = holder and -1 or 0
  else
    call('PUBLISH', ARGV[#KEYS + n], '')
    released[#released + 1] = KEYS[n]
    replies[n] = 1
  end
end
if #released > 0 then call('DEL', unpack(released)) end
return #KEYS == 1 and replies[1] or replies
)lua";

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const auto holder = keyspace.find(keys[0]);
  if (!holder) return Value(0);
  if (holder->type == Entry::Type::other) return wrong_type();
  if (holder->value != arguments[0]) return Value(-1);
  keyspace.erase(keys[0]);
  keyspace.publish(Channel(arguments[1]), "");
  return Value(1);
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
