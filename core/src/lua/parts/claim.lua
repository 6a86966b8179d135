-- What claim does, with one lock or many. It needs `call`, `pcall`, `keys` (the locks, then their
-- counters) and `argv` (the ttl, how long a counter is kept, then the owners).
--
-- Like renew and release, it takes one lock or many in one call, because most of what a call costs
-- the server is its commands. It asks once for what all locks have in common (the time, all
-- counters, all holders), so a free lock costs two commands of its own. MGET says nothing about a
-- key of another type, so this script asks for each key about which MGET says nothing. A refusal
-- becomes that lock's reply and changes nothing of the others. What MGET said stays true for the
-- whole script, if no lock is named twice: nothing expires while a script runs, and each key is
-- written for one lock alone.
--
-- The counter alone would not do, so the script also asks for the time: a replica that is promoted
-- without having seen the last grant has an older counter, and would give the same number again
-- (found by the search with one failover). Counter and clock are compared as text, which gives the
-- same result for as many digits and is cheaper: a counter that sorts before the clock is either
-- smaller or no number, and then counts as lost.
local locks, ttl, kept = #keys / 2, argv[1], argv[2]
local counters = call('MGET', unpack(keys, locks + 1))
local time = call('TIME')
local clock = time[1] .. string.sub('00000' .. time[2], -6)
local clock_number, digits = tonumber(clock), #clock

-- The last token of a counter that a grant can have written.
local function last_token(counter)
  local last = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
  return last and last <= 9007199254740991 and last
end

-- A token is close to the time of its grant.
local function busy(lock, holder, counter)
  local held_for, last = -1, string.sub(holder, 1, 4) == 'il1:' and last_token(counter)
  -- Later readers, and holders of permits, have raised the counter.
  if string.sub(holder, 1, 10) == 'il1:group:' then
    last = tonumber(string.match(holder, '^il1:group:shared:(%d+)/fair$'))
  end
  if last then held_for = math.max(0, math.floor((clock_number - last) / 1000)) end
  return {0, holder, call('PTTL', lock), held_for}
end

local function grant(counter_key, fencing)
  call('SET', counter_key, fencing, 'PX', kept)
  return tonumber(fencing)
end

-- Held, or granted again, or without a counter that says that the clock is next.
local function look_closely(lock, counter_key, owner, free, seen)
  local holder = free and owner or pcall('GET', lock)
  if type(holder) == 'table' then return holder end
  if holder ~= owner then return busy(lock, holder, seen) end
  local counter = pcall('GET', counter_key)
  if type(counter) == 'table' then
    if free then call('DEL', lock) end
    return counter
  end
  local previous = last_token(counter)
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
  local lock, counter_key, owner, counter = keys[n], keys[locks + n], argv[n + 2], counters[n]
  local free = call('SET', lock, owner, 'NX', 'PX', ttl)
  if free and counter and #counter == digits and counter < clock then
    call('SET', counter_key, clock, 'PX', kept)
    replies[n] = clock_number
  else
    replies[n] = look_closely(lock, counter_key, owner, free, counter)
  end
end
return locks == 1 and replies[1] or replies
