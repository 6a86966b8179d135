-- Releases one lock that has a queue at a store with quarantines. KEYS, ARGV and the replies:
-- interlock/store/queue_scripts.hpp.
local call, keys, argv = redis.call, KEYS, ARGV
local lock, counter_key, queue_key, owner = keys[1], keys[2], keys[3], argv[1]
local channel, block_text, window, kept = argv[2], argv[3], argv[4], argv[5]

-- Without a queue there is nobody to offer the lock to.
local quarantine = nil
if call('EXISTS', queue_key) == 1 then
--include parts/quarantine.lua
end
local holder = call('GET', lock)
--include parts/queue_release_begin.lua
--include parts/queue_release_rest.lua
