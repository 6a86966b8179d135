-- KEYS lock, last run. ARGV owner, for how many ms it was held, the exit code of its command, for how
-- many ms this is kept. 1: noted; 0: the lock is not this owner's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local note = string.format('%.0f %s %s %s', now, ARGV[2], ARGV[3], ARGV[1])
redis.call('SET', KEYS[2], note, 'PX', ARGV[4])
return 1
