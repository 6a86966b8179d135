-- KEYS lock. ARGV owner, ttl in ms. As compare_script_lock.lua, by the server's clock and with
-- the owner in the value.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'string' then return 2 end
local seen = kind == 'string' and redis.call('GET', KEYS[1])
local ends = seen and tonumber(string.match(seen, '^(%d+):') or string.match(seen, '^(%d+)$'))
if seen and not (ends and now > ends) then return 1 end
redis.call('SET', KEYS[1], string.format('%.0f:', now + ARGV[2]) .. ARGV[1])
return 0
