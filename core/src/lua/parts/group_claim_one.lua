-- What group_claim does. It needs `call`, `lock`, `counter_key`, `queue_key`, `holders_key`, `owner`,
-- `ttl`, `kept_with_ttl`, `block_text` and `window`; of a caller that is going to wait also
-- `listens_on`, `recheck`, `grace` and `asked_before`, as in parts/queue_claim_one.lua; for a downgrade
-- `instead_of`, the owner who has the lock alone. In a `quarantine` it grants only what the owner has
-- already.
--include parts/group_claim_short.lua
--include parts/queue.lua
--include parts/first_number.lua
--include parts/group.lua
--include parts/group_admit.lua

local remaining, held_for = quarantine or tonumber(window), -1
if holder then
  if not quarantine then remaining = call('PTTL', lock) end
  -- Permits are free again when the first lease of the group ends.
  if group and group ~= 'shared' and not quarantine then
    local first = call('ZRANGEBYSCORE', holders_key, now_ms, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if first then remaining = tonumber(first) - now_ms end
  end
  local since = last and string.sub(holder, 1, 4) == 'il1:' and last - block + 1
  -- Later readers, and holders of permits, have raised the counter.
  if string.sub(holder, 1, 10) == 'il1:group:' then
    since = tonumber(string.match(holder, '^il1:group:shared:(%d+)/fair$'))
  end
  if since then held_for = math.max(0, math.floor((now - since) / 1000)) end
end

local starts = holder and (holder == owner or holder == instead_of)
local counts_otherwise = group and kind and group ~= 'shared' and kind ~= 'shared' and group ~= kind
local granted, line, place, first, life = starts or is_in, nil, nil, holder, nil
local others = 0  -- who are admitted
if instead_of and not granted then return {0, holder or '', remaining, held_for, last or -1} end
if listens_on and not granted and not counts_otherwise then
  life = (remaining >= 0 and remaining or tonumber(recheck)) + tonumber(grace)
  line = string.format('%s w%.0f %s', owner, now_ms + life, listens_on)
  -- The holder may keep the lock although its section is over, if nobody queued when it came.
  local ear = not front and string.match(holder or '', '/keep:(%S+)/fair$')
  if ear and not asked_before then call('PUBLISH', 'interlock:ear:' .. ear, lock) end
end
if front then
  read_queue()
  place = line and asked_before and place_of_mine()
  if place then change(place, line) end
end
if not granted and not quarantine and not counts_otherwise then
  if holder then
    if front and group == kind then
      granted, others = admit(true)
    elseif fits(kind, weight) then
      granted = true
      used = used + weight
    end
  else
    local mine = {}
    if front then first, mine = first_in_line(true, line and not place) end
    starts = not first or first == owner
    granted = starts
    for _, n in ipairs(granted and mine or {}) do change(n, '') end
  end
end
if starts then
  group, used = kind, weight
  if front then
    -- One who had an offer has its place still.
    local mine = (instead_of or owner) .. ' '
    if string.sub(front, 1, #mine) == mine then
      change(1, '')
    elseif holder and asked_before then
      mine = place_of_mine()
      if mine then change(mine, '') end
    end
    if not quarantine then admit(false) end
  end
end

if granted then
  line = nil
  admitted[owner] = now_ms + ttl
end
local begins
if starts then
  call('DEL', holders_key)
  if group == 'shared' then
    number = string.format('%.0f', fencing)
    begins = 'il1:group:shared:' .. number .. '/fair'
  end
end
-- A claim never lets the lock's key end earlier, not even if somebody has deleted the set of holders.
if granted or others > 0 then finish_group(admitted, begins, starts and 0 or call('PTTL', lock)) end
if line and not place then call('RPUSH', queue_key, line) end
if save then save() end
if line then
  local retention = kept - ttl
  local least = life + retention
  if call('PTTL', queue_key) < least then call('PEXPIRE', queue_key, least + retention) end
end
if not granted then
  if quarantine then return {0, 'il1:quarantine/fair', quarantine, -1, last or -1} end
  if holder then return {0, holder, remaining, held_for, last or -1} end
  call('SET', lock, first, 'PX', window)
  kept = window + kept - ttl
end

--include parts/number.lua

if not granted then return {0, first, remaining, 0, fencing + block - 1} end
return group == 'shared' and {3, fencing, tonumber(number)} or fencing
