-- KEYS lock. ARGV when the client locked it, and its ttl, in ms. 0: deleted; 1: not this
-- client's, as far as two equal times tell.
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 1 end
local ends = tonumber(redis.call('GET', KEYS[1]))
if ends and ends - tonumber(ARGV[1]) == tonumber(ARGV[2]) then
  redis.call('DEL', KEYS[1])
  return 0
end
return 1
