-- KEYS lock. ARGV the time now, in seconds. It deletes a lock that has ended and leaves one that
-- has not: the opposite of a release.
local seen = redis.call('GET', KEYS[1])
if seen and tonumber(seen) <= tonumber(ARGV[1]) then return redis.call('DEL', KEYS[1]) end
return 0
