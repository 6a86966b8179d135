-- Grants locks that have queues, or queues for one. KEYS, ARGV and the replies:
-- interlock/store/queue_scripts.hpp.
--
-- One call takes one lock, or many whose callers take no place. What is done with one lock is sent
-- twice, in a function and bare, because to make a function takes up to half as long as a command.
local call, keys, argv = redis.call, KEYS, ARGV
local ttl, kept_with_ttl, block_text, window = argv[1], argv[2], argv[3], argv[4]
local quarantine = nil  -- see quarantined_queue_claim.lua

if #keys > 3 then
--include parts/queue_claim_many.lua
  if left == 0 then return replies end

  -- Each other lock is claimed as if it came alone. These come last: a refusal becomes their own
  -- reply, while a refusal before ends the script, and the caller sends each claim alone.
  local function claim(lock, counter_key, queue_key, owner,
                       listens_on, recheck, grace, asked_before)
--include parts/queue_claim_one.lua
  end

--include parts/reply_of.lua
  for n = 1, locks do
    replies[n] = replies[n] or reply_of(claim, keys[n], keys[locks + n], keys[2 * locks + n],
                                        argv[4 + n])
  end
  return replies
end

local lock, counter_key, queue_key, owner = keys[1], keys[2], keys[3], argv[5]
local listens_on, recheck, grace, asked_before = argv[6], argv[7], argv[8], argv[9] == '1'

--include parts/queue_claim_one.lua
