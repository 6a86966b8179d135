-- The claims of many locks by callers that take no place. It needs what queue_claim_one needs, and
-- that as the function `claim`. A free lock without a queue costs two commands of its own, because
-- what all locks have in common is asked once, as in claim.lua; each other lock is claimed as if it
-- came alone. These come last: a refusal becomes their own reply, while a refusal before ends the
-- script, and the caller sends each claim alone.
local locks = #keys / 3
local queues = call('EXISTS', unpack(keys, 2 * locks + 1))
local counters = call('MGET', unpack(keys, locks + 1, 2 * locks))
local time = call('TIME')
local clock, last = time[1] .. string.sub('00000' .. time[2], -6), time[2] + block_text - 1
local clock_number = tonumber(clock)
local counter_text = last <= 999999 and string.format('%s%06d', time[1], last)

local function has_no_queue(n)
  return queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0
end

-- MGET says nothing of a key of another type.
local function has_older_counter(n)
  local counter = counters[n]
  if counter then return #counter == #clock and counter < clock end
  return call('EXISTS', keys[locks + n]) == 0
end

local replies = {}
for n = 1, locks do
  local is_plain = counter_text and has_no_queue(n) and has_older_counter(n)
  if is_plain and call('SET', keys[n], argv[3 + n], 'NX', 'PX', ttl) then
    call('SET', keys[locks + n], counter_text, 'PX', kept_for_ttl)
    replies[n] = clock_number
  end
end
for n = 1, locks do
  replies[n] = replies[n] or reply_of(claim, keys[n], keys[locks + n], keys[2 * locks + n],
                                      argv[3 + n])
end
return replies
