-- The second part of what queue_release does with one lock: parts/queue_release_begin.lua.
local first
local time = call('TIME')
--include parts/first_number.lua
-- If the owner entered by an offer's message, its own place is in front of the others.
local front, line = 1, nil
if holder == owner then
  if string.sub(places[1], 1, #owner + 1) == owner .. ' ' then front = 2 end
  if not places[front] then
    call('PUBLISH', channel, '')
    call('DEL', lock, queue_key)
    return 1
  end
  local who, flag, until_ms, wake_up = string.match(places[front], '^(%S+) ([wo])(%d+) (%S+)$')
  if not quarantine and flag == 'w' and who ~= owner and
     tonumber(until_ms) >= math.floor(now / 1000) and
     (wake_up == '-' or call('PUBSUB', 'NUMSUB', wake_up)[2] > 0) then
    if wake_up ~= '-' then
      call('LSET', queue_key, front - 1, places[front])  -- why: parts/queue.lua
      call('PUBLISH', wake_up, string.format('%s %.0f %s %d %s', who, fencing, block_text,
                                             places[front + 1] and 1 or 0, window))
    end
    first, line = who, who .. ' o' .. until_ms .. ' ' .. wake_up
  end
end
if not first then
  read_queue()
  local mine = {}
  if quarantine or holder ~= owner then mine = {place_of_mine()} end
  for _, n in ipairs(mine) do change(n, '') end
  -- Those behind may join the group that has the lock (parts/group.lua): the first of them must ask.
  if mine[1] and string.sub(holder or '', 1, 10) == 'il1:group:' then
    local n, who, ear = mine[1] + 1, nil, nil
    while line_at(n) and not who do
      who, ear = string.match(line_at(n), '^(%S+) w%d+ (%S+)$')
      n = n + 1
    end
    if who and ear ~= '-' then call('PUBLISH', ear, who) end
  end
  if not quarantine and (not holder or holder == owner) then
    first, mine = first_in_line(false)
    for _, n in ipairs(mine) do change(n, '') end
  end
end
if (not holder or holder == owner) and not first then call('PUBLISH', channel, '') end
if line then
  if front == 2 then call('LPOP', queue_key) end
  call('LSET', queue_key, 0, line)
else
  save()
end
if not first then
  if holder == owner then call('DEL', lock) end
  return holder and (holder == owner and 1 or -1) or 0
end
call('SET', lock, first, 'PX', window)

--include parts/number.lua

return holder and 1 or 0
