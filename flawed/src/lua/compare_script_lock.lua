-- KEYS lock. ARGV the client's time and ttl, in ms. 0: locked; 1: somebody else's; 2: no string.
local now, ttl = tonumber(ARGV[1]), tonumber(ARGV[2])
local stamp = string.format('%.0f', now + ttl)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  redis.call('SETNX', KEYS[1], stamp)
  return 0
end
if kind ~= 'string' then return 2 end
local ends = tonumber(redis.call('GET', KEYS[1]))
if ends and now > ends then
  redis.call('SET', KEYS[1], stamp)
  return 0
end
return 1
