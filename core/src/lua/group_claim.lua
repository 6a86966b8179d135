-- Makes an owner one of the group that has a lock, or queues for it. KEYS, ARGV and the replies:
-- interlock/store/group_scripts.hpp.
local call, keys, argv = redis.call, KEYS, ARGV
local lock, counter_key, queue_key, holders_key, owner = keys[1], keys[2], keys[3], keys[4], argv[1]
local ttl, kept_with_ttl, block_text, window = argv[2], argv[3], argv[4], argv[5]
local listens_on, recheck, grace, asked_before = argv[6], argv[7], argv[8], argv[9] == '1'
local instead_of, quarantine = nil, nil  -- see group_downgrade.lua and quarantined_group_claim.lua

--include parts/group_claim_one.lua
