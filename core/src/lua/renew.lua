-- Moves the ends of leases. KEYS, ARGV and the replies: interlock/store/owner_scripts.hpp. Why many
-- locks share one call: claim.lua.
local call, keys, argv = redis.call, KEYS, ARGV
local locks = #keys / 2
local holders = call('MGET', unpack(keys, 1, locks))
local replies = {}
for n = 1, locks do
  local holder = holders[n] or redis.pcall('GET', keys[n])
  if type(holder) == 'table' then
    replies[n] = holder
  elseif holder ~= argv[n + 1] then
    replies[n] = holder and -1 or 0
  else
    call('PEXPIRE', keys[n], argv[1])
    -- Changes the brief span of the counter to the long one: the lock may be held for days, and the
    -- time that is left must still tell when it was granted.
    local left = call('PTTL', keys[locks + n])
    if left >= 0 and left <= 86400000 then
      call('PEXPIRE', keys[locks + n], left + 34387200000)
    end
    replies[n] = 1
  end
end
return locks == 1 and replies[1] or replies
