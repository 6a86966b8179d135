-- Gives back a lock that has a queue, an offer, or a place in the queue, and offers the lock to
-- the first in the queue that listens. KEYS, ARGV and the replies: interlock/store/queue_scripts.hpp.
-- One call takes one lock or many: see queue_claim.lua.
local call, keys, argv = redis.call, KEYS, ARGV
local block_text, window, kept = argv[1], argv[2], argv[3]
local quarantine = nil  -- see quarantined_queue_release.lua

if #keys > 3 then
--include parts/queue_release_many.lua
  if left == 0 then return replies end

  local function release(lock, counter_key, queue_key, owner, channel)
    local holder = call('GET', lock)
--include parts/queue_release_begin.lua
--include parts/queue_release_rest.lua
  end

--include parts/reply_of.lua
  for n = 1, locks do
    replies[n] = replies[n] or reply_of(release, keys[n], keys[locks + n], keys[2 * locks + n],
                                        argv[3 + n], argv[3 + locks + n])
  end
  return replies
end

local lock, counter_key, queue_key, owner, channel = keys[1], keys[2], keys[3], argv[4], argv[5]
local holder = call('GET', lock)

--include parts/queue_release_begin.lua
--include parts/queue_release_rest.lua
