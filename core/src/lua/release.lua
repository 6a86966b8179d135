-- Gives locks back. KEYS, ARGV and the replies: interlock/store/owner_scripts.hpp. Why many locks share
-- one call: claim.lua.
--
-- A release that finds its key gone publishes as well: the key was deleted by hand or evicted,
-- and nobody has announced that. The one DEL comes last, so that the script has changed nothing
-- if the server refuses the DEL, or the user may not publish. Subscribers get messages only after
-- the script has ended.
local call, keys, argv, locks = redis.call, KEYS, ARGV, #KEYS
local holders = call('MGET', unpack(keys))
local channels = locks + 1
--include parts/listeners.lua
local replies, released, size = {}, {}, 0
for n = 1, locks do
  local holder = holders[n]
  if holder ~= argv[n] then holder = holder or redis.pcall('GET', keys[n]) end
  if not holder or holder == argv[n] then
    if not listeners or listeners[2 * n] > 0 then call('PUBLISH', argv[locks + n], '') end
    replies[n] = 0
    if holder then
      size = size + 1
      released[size] = keys[n]
      replies[n] = 1
    end
  else
    replies[n] = type(holder) == 'table' and holder or -1
  end
end
if size > 0 then call('DEL', unpack(released)) end
return locks == 1 and replies[1] or replies
