-- KEYS lock. ARGV my stamp, ttl and the time now, in seconds.
local stamp, ttl, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then
  redis.call('EXPIRE', KEYS[1], ttl + 1)
  return 0
end
local seen = redis.call('GET', KEYS[1])
redis.log(redis.LOG_DEBUG, 'lock ' .. KEYS[1] .. ' seen ' .. tostring(seen))
if not seen then return 1 end
if tonumber(seen) > now then return 2 end
-- The second ttl is the flaw: the stamp has one already.
local before = redis.call('GETSET', KEYS[1], string.format('%.0f', stamp + ttl + 1))
redis.log(redis.LOG_DEBUG, 'lock ' .. KEYS[1] .. ' before ' .. tostring(before))
if before == seen then
  redis.call('EXPIRE', KEYS[1], ttl + 1)
  return 0
end
return 3
