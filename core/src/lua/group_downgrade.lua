-- Makes the owner who has a lock alone one of a group of readers. KEYS, ARGV and the replies:
-- interlock/store/group_scripts.hpp.
local call, keys, argv = redis.call, KEYS, ARGV
local lock, counter_key, queue_key, holders_key, owner = keys[1], keys[2], keys[3], keys[4], argv[1]
local ttl, kept_with_ttl, block_text, window = argv[2], argv[3], argv[4], argv[5]
local instead_of = argv[6]
local listens_on, recheck, grace, asked_before = nil, nil, nil, nil
local quarantine = nil  -- see quarantined_group_downgrade.lua

--include parts/group_claim_one.lua
