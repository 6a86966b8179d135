-- KEYS lock. ARGV owner. 0: deleted; 1: not this owner's.
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 1 end
if string.match(redis.call('GET', KEYS[1]), '^%d+:(.*)$') ~= ARGV[1] then return 1 end
redis.call('DEL', KEYS[1])
return 0
