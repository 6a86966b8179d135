-- Notes what a lock's holder says of itself. KEYS, ARGV and the replies: interlock/leader.hpp.
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then return holder and -1 or 0 end
local note = ARGV[2] .. ' ' .. #ARGV[1] .. ' ' .. ARGV[1] .. ARGV[3]
redis.call('SET', KEYS[2], note, 'PX', ARGV[5])
redis.call('PUBLISH', ARGV[4], '')
return 1
