-- The claims of many locks by callers that take no place: those of free locks without a queue. Such a
-- lock costs two commands of its own, because what all locks have in common is asked once, as in
-- claim.lua. `replies` gets their replies, and `left` is how many locks have none yet.
local locks = #keys / 3
local queues = call('EXISTS', unpack(keys, 2 * locks + 1))
local counters = call('MGET', unpack(keys, locks + 1, 2 * locks))
local server_time = call('TIME')
local clock_text = server_time[1] .. string.sub('00000' .. server_time[2], -6)
local last_micros = server_time[2] + block_text - 1
local clock_number, digits = tonumber(clock_text), #clock_text
local counter_text = last_micros <= 999999 and string.format('%s%06d', server_time[1], last_micros)

local replies, left = {}, 0
for n = 1, locks do
  local counter, reply = counters[n], false
  local is_plain = counter_text and (queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0)
  if is_plain and counter then is_plain = #counter == digits and counter < clock_text end
  -- MGET says nothing of a key of another type.
  if is_plain and not counter then is_plain = call('EXISTS', keys[locks + n]) == 0 end
  if is_plain and call('SET', keys[n], argv[4 + n], 'NX', 'PX', ttl) then
    call('SET', keys[locks + n], counter_text, 'PX', kept_with_ttl)
    reply = clock_number
  else
    left = left + 1
  end
  replies[n] = reply
end
