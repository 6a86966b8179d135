-- The releases of many locks: those that are the owner's and have no queue. What all locks have in
-- common is asked once. `replies` gets their replies, and `left` is how many locks have none yet. The
-- one DEL comes after each PUBLISH: if the server refuses one of them, nothing has changed yet.
local locks = #keys / 3
local queues = call('EXISTS', unpack(keys, 2 * locks + 1))
local holders = call('MGET', unpack(keys, 1, locks))
local channels = locks + 4
--include parts/listeners.lua
local replies, released, size = {}, {}, 0
for n = 1, locks do
  local reply = false
  if holders[n] == argv[3 + n] and
     (queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0) then
    if not listeners or listeners[2 * n] > 0 then call('PUBLISH', argv[3 + locks + n], '') end
    size = size + 1
    released[size] = keys[n]
    reply = 1
  end
  replies[n] = reply
end
if size > 0 then call('DEL', unpack(released)) end
local left = locks - size
