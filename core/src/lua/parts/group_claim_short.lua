-- The short way of group_claim: nobody waits, and nobody has the lock, or a group that the owner may
-- join. It makes no function, because to make one takes up to half as long as a command. What it finds
-- out stays for the long way, parts/group_claim_one.lua, to which it leaves all else.
local kept = kept_with_ttl
local holder, counter = call('GET', lock), call('GET', counter_key)
local front = call('LINDEX', queue_key, 0)
local time = call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if not front and not quarantine and not instead_of then
  local kind, weight = 'shared', 0
  if string.sub(owner, -12) ~= '/shared/fair' then
    weight, kind = string.match(owner, '/permits:(%d+)of(%d+)/fair$')
  end
  local group, number
  if holder then group, number = string.match(holder, '^il1:group:(%w+):(%d+)/fair$') end
  local joins, used = group == kind, tonumber(weight)
  if joins and kind ~= 'shared' then
    used = used + number
    joins = used <= tonumber(kind) and call('ZCOUNT', holders_key, '-inf', '(' .. now_ms) == 0
  end
  local ends = string.format('%.0f', now_ms + ttl)
  if holder and joins then joins = call('ZADD', holders_key, 'NX', ends, owner) == 1 end
  if not holder or joins then
    local last = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
    local fencing, block = math.max(1, time[1] * 1000000 + time[2]), tonumber(block_text)
    if last and last >= fencing and last <= 9007199254740991 - block then fencing = last + 1 end
    -- The lock's key ends with the lease that ends last.
    local left, ends_last = tonumber(ttl), true
    if holder then
      if kind == 'shared' then call('ZREMRANGEBYSCORE', holders_key, '-inf', '(' .. now_ms) end
      local lasts = call('PTTL', lock)
      ends_last = lasts < left
      left = math.max(left, lasts)
    else
      call('DEL', holders_key)
      call('ZADD', holders_key, ends, owner)
      number = string.format('%.0f', fencing)
    end
    if not holder or kind ~= 'shared' then
      local said = kind == 'shared' and number or used
      local text = 'il1:group:' .. kind .. ':' .. said .. '/fair'
      call('SET', lock, text, 'PX', left)
    elseif ends_last then
      call('PEXPIRE', lock, left)
    end
    call('PEXPIRE', holders_key, left)
    call('SET', counter_key, string.format('%.0f', fencing + block - 1), 'PX', kept)
    return kind == 'shared' and {3, fencing, tonumber(number)} or fencing
  end
end
