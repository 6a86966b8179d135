-- Takes back what a lock's holder has said of itself. KEYS, ARGV and the replies:
-- interlock/leader.hpp.
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then return holder and -1 or 0 end
redis.call('DEL', KEYS[2])
return 1
