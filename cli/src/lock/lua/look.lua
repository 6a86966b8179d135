-- KEYS lock, fencing counter, queue, and again for each further lock. For each: [holder, remaining,
-- counter, held for, places in the queue]: '' for a key that is not there; times in ms, or -1, or
-- -2. How long the lock has been held follows from the counter (held_ms() in owner_scripts.hpp). The
-- counter has up to 53 bits and passes as text. A holder that entered by an offer's message still
-- has its place in front.
local seen, time = {}, redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for first = 1, #KEYS, 3 do
  local lock, counter, queue = KEYS[first], KEYS[first + 1], KEYS[first + 2]
  local holder = redis.call('GET', lock) or ''
  local places, front = redis.call('LLEN', queue), redis.call('LINDEX', queue, 0)
  if front and string.sub(front, 1, #holder + 1) == holder .. ' ' then places = places - 1 end
  local tokens, held_for = redis.call('GET', counter) or '', -1
  local last = tonumber(string.match(tokens, '^[1-9]%d*$'))
  if string.sub(holder, 1, 10) == 'il1:group:' then
    last = tonumber(string.match(holder, '^il1:group:shared:(%d+)/fair$'))
  end
  if last and last <= 9007199254740991 and string.sub(holder, 1, 4) == 'il1:' then
    held_for = math.max(0, math.floor((now - last) / 1000))
  end
  seen[#seen + 1] = {holder, redis.call('PTTL', lock), tokens, held_for, places}
end
return seen
