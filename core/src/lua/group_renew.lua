-- Moves the end of the lease of one of a group. KEYS, ARGV and the replies:
-- interlock/store/group_scripts.hpp.
local call, keys, argv = redis.call, KEYS, ARGV
local lock, counter_key, holders_key = keys[1], keys[2], keys[3]
local owner, ttl, kept = argv[1], argv[2], argv[3]
local holder, time = call('GET', lock), call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

--include parts/group.lua

if not is_in then return holder and not group and -1 or 0 end
finish_group({[owner] = now_ms + ttl})
local left = call('PTTL', counter_key)
if left >= 0 and left < (ttl + kept) / 2 then call('PEXPIRE', counter_key, kept) end
return 1
