-- Who is in the group that has a lock. KEYS, ARGV and the replies: interlock/store/group_scripts.hpp.
local call = redis.call
if string.sub(call('GET', KEYS[1]) or '', 1, 10) ~= 'il1:group:' then return {} end
local time = call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local found = call('ZRANGEBYSCORE', KEYS[2], now_ms, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for n = 2, #found, 2 do found[n] = found[n] - now_ms end
return found
