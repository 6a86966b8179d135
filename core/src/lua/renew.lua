-- Moves the ends of leases. KEYS, ARGV and the replies: interlock/store/owner_scripts.hpp. Why many
-- locks share one call: claim.lua.
local call, keys, argv = redis.call, KEYS, ARGV
local locks = #keys / 2
local holders = call('MGET', unpack(keys, 1, locks))
local replies = {}
-- A counter of which less is left than this ends too soon after the lease: half of its retention.
local least = (argv[1] + argv[2]) / 2
for n = 1, locks do
  local holder = holders[n] or redis.pcall('GET', keys[n])
  if type(holder) == 'table' then
    replies[n] = holder
  elseif holder ~= argv[n + 2] then
    replies[n] = holder and -1 or 0
  else
    call('PEXPIRE', keys[n], argv[1])
    local left = call('PTTL', keys[locks + n])
    if left >= 0 and left < least then call('PEXPIRE', keys[locks + n], argv[2]) end
    replies[n] = 1
  end
end
return locks == 1 and replies[1] or replies
