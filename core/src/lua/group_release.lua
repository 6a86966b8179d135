-- Takes an owner out of the group that has a lock, or gives up its place in the queue. KEYS, ARGV and
-- the replies: interlock/store/group_scripts.hpp.
local call, keys, argv = redis.call, KEYS, ARGV
local lock, counter_key, queue_key, holders_key, owner = keys[1], keys[2], keys[3], keys[4], argv[1]
local channel, block_text, window, kept = argv[2], argv[3], argv[4], argv[5]
local quarantine = nil  -- see quarantined_group_release.lua

--include parts/group_release_one.lua
