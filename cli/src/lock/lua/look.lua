-- KEYS lock, fencing counter, queue. [holder, remaining, counter, counter's remaining, places in
-- the queue]: '' for a key that is not there; times in ms, or -1, or -2. The counter has up to 53
-- bits and passes as text. A holder that entered by an offer's message still has its place in front.
local holder = redis.call('GET', KEYS[1]) or ''
local places, front = redis.call('LLEN', KEYS[3]), redis.call('LINDEX', KEYS[3], 0)
if front and string.sub(front, 1, #holder + 1) == holder .. ' ' then places = places - 1 end
return {holder, redis.call('PTTL', KEYS[1]),
        redis.call('GET', KEYS[2]) or '', redis.call('PTTL', KEYS[2]), places}
