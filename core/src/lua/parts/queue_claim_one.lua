-- What queue_claim does with one lock. It needs `call`, `lock`, `counter_key`, `queue_key`, `owner`,
-- `ttl`, `kept_with_ttl`, `block_text` and `window`; of a caller that is going to wait also
-- `listens_on` (its wake-up channel), `recheck`, `grace` and `asked_before`. In a `quarantine` it grants
-- only what the owner has already. Others may take their places.
--
-- A free lock without a queue costs little more than one that cannot have any. The counter is
-- compared with the clock as text, as in claim.lua, and the block's last token is one of the same
-- second: else it is made at the end, as a number. Unlike EXISTS, LINDEX tells a queue from a key of
-- another type.
local kept = kept_with_ttl
local counter, granted = call('GET', counter_key), false
local time
if not quarantine and call('EXISTS', queue_key) == 0 then
  time = call('TIME')  -- before the first write: a user who may not ask for it changes nothing
  granted = call('SET', lock, owner, 'NX', 'PX', ttl)
end
if granted and counter then
  local seconds, micros = time[1], time[2]
  local clock, last = seconds .. string.sub('00000' .. micros, -6), micros + block_text - 1
  if #counter == #clock and counter < clock and last <= 999999 then
    call('SET', counter_key, string.format('%s%06d', seconds, last), 'PX', kept)
    return tonumber(clock)
  end
end
local front = not granted and call('LINDEX', queue_key, 0)
local holder = granted and owner or call('GET', lock)

--include parts/queue.lua

if holder == owner and not granted then
  local confirms = front and string.sub(front, 1, #owner + 1) == owner .. ' '
  if confirms then
    call('LPOP', queue_key)
  elseif front and asked_before then
    read_queue()
    confirms = place_of_mine()
    if confirms then change(confirms, '') end
    save()
  end
  call('PEXPIRE', lock, ttl)
  -- The client that offered it, or an earlier claim of mine, may have reserved a block of another
  -- size: only the last token of that block is certainly mine.
  if last and not (confirms and block > 1) then
    -- The client that offered it keeps counters for its own time.
    local ends = call('PTTL', counter_key)
    if ends >= 0 and ends < (ttl + kept) / 2 then call('PEXPIRE', counter_key, kept) end
    return {1, last}
  end
  granted = true
end

time = time or call('TIME')
--include parts/first_number.lua
local first, remaining, held_for = holder, nil, -1
if not granted then
  remaining = quarantine or (holder and call('PTTL', lock) or tonumber(window))
  local life, line
  if listens_on then
    life = (remaining >= 0 and remaining or tonumber(recheck)) + tonumber(grace)
    line = string.format('%s w%.0f %s', owner, math.floor(now / 1000) + life, listens_on)
    -- The holder may keep the lock although its section is over, if nobody queued when it came.
    local ear = not front and string.match(holder or '', '/keep:(%S+)/fair$')
    if ear and not asked_before then call('PUBLISH', 'interlock:ear:' .. ear, lock) end
  end
  local place
  if not holder or asked_before then
    read_queue()
    place = line and asked_before and place_of_mine()
    if place then change(place, line) end
  end
  if not holder and not quarantine then
    local mine
    first, mine = first_in_line(true, line and not place)
    granted = not first or first == owner
    if granted then
      for _, n in ipairs(mine) do change(n, '') end
      line = nil
    end
  end
  if line and not place then call('RPUSH', queue_key, line) end
  if save then save() end
  if line then
    local retention = kept - ttl
    local least = life + retention
    if call('PTTL', queue_key) < least then call('PEXPIRE', queue_key, least + retention) end
  end
  if granted then
    call('SET', lock, owner, 'PX', ttl)
  elseif quarantine then
    return {0, 'il1:quarantine/fair', remaining, -1, last or -1}
  elseif holder then
    local since = last and string.sub(holder, 1, 4) == 'il1:' and last - block + 1
    -- Later readers, and holders of permits, have raised the counter.
    if string.sub(holder, 1, 10) == 'il1:group:' then
      since = tonumber(string.match(holder, '^il1:group:shared:(%d+)/fair$'))
    end
    if since then held_for = math.max(0, math.floor((now - since) / 1000)) end
    return {0, holder, remaining, held_for, last or -1}
  else
    call('SET', lock, first, 'PX', window)
    kept = window + kept - ttl
  end
end

--include parts/number.lua

if granted then return call('EXISTS', queue_key) == 1 and {2, fencing} or fencing end
return {0, first, remaining, 0, fencing + block - 1}
