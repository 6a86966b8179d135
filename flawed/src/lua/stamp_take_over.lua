-- KEYS lock. ARGV my stamp, the time now. 0: taken over, because the stamp that was seen had
-- ended.
local seen = redis.call('GET', KEYS[1])
local ends = seen and tonumber(string.match(seen, '^(%d+):') or string.match(seen, '^(%d+)$'))
if seen and not (ends and tonumber(ARGV[2]) > ends) then return 1 end
redis.call('SET', KEYS[1], ARGV[1])
return 0
