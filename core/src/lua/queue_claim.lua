-- Grants a lock that has a queue, or queues for it. KEYS, ARGV and the replies:
-- interlock/store/queue_scripts.hpp.
--
-- A free lock without a queue costs little more than one that cannot have any. The counter is
-- compared with the clock as text, as in claim.lua, and the block's last token is one of the same
-- second: else it is made at the end of this script, as a number. Unlike EXISTS, LINDEX tells a
-- queue from a key of another type.
local call, keys, argv = redis.call, KEYS, ARGV
local owner, ttl = argv[1], argv[2]
local kept = (#ttl < 8 or tonumber(ttl) <= 86400000) and '172800000' or '34560000000'
local counter, granted = call('GET', keys[2]), false
local time
if call('EXISTS', keys[3]) == 0 then
  time = call('TIME')  -- before the first write: a user who may not ask for it changes nothing
  granted = call('SET', keys[1], owner, 'NX', 'PX', ttl)
end
if granted and counter then
  local seconds, micros = time[1], time[2]
  local clock, last = seconds .. string.sub('00000' .. micros, -6), micros + argv[3] - 1
  if #counter == #clock and counter < clock and last <= 999999 then
    call('SET', keys[2], string.format('%s%06d', seconds, last), 'PX', kept)
    return tonumber(clock)
  end
end
local front = not granted and call('LINDEX', keys[3], 0)
local holder = granted and owner or call('GET', keys[1])

--include parts/queue.lua

local wake_up, asked_before = ARGV[5], ARGV[8] == '1'
if holder == owner and not granted then
  local confirms = front and string.sub(front, 1, #owner + 1) == owner .. ' '
  if confirms then
    call('LPOP', KEYS[3])
  elseif front and asked_before then
    read_queue()
    confirms = place_of_mine()
    if confirms then change(confirms, '') end
    save()
  end
  call('PEXPIRE', KEYS[1], ttl)
  -- The client that offered it, or an earlier claim of mine, may have reserved a block of another
  -- size: only the last token of that block is certainly mine.
  if last and not (confirms and block > 1) then
    if kept ~= '172800000' then call('PEXPIRE', KEYS[2], kept) end
    return {1, last}
  end
  granted = true
end

time = time or call('TIME')
now = time[1] * 1000000 + time[2]
local first, remaining, held_for = holder, nil, -1
if not granted then
  remaining = holder and call('PTTL', KEYS[1]) or tonumber(ARGV[4])
  local life, line
  if wake_up then
    life = (remaining >= 0 and remaining or tonumber(ARGV[6])) + tonumber(ARGV[7])
    line = string.format('%s w%.0f %s', owner, math.floor(now / 1000) + life, wake_up)
  end
  local place
  if not holder or asked_before then
    read_queue()
    place = line and asked_before and place_of_mine()
    if place then change(place, line) end
  end
  if not holder then
    local mine
    first, mine = first_in_line(true)
    granted = not first or first == owner
    if granted then
      for _, n in ipairs(mine) do change(n, '') end
      line = nil
    end
  end
  if line and not place then call('RPUSH', KEYS[3], line) end
  if save then save() end
  if line then
    local least = math.max(life, 86400000)
    if call('PTTL', KEYS[3]) < least then call('PEXPIRE', KEYS[3], least + 86400000) end
  end
  if granted then
    call('SET', KEYS[1], owner, 'PX', ttl)
  elseif holder then
    if last and string.sub(holder, 1, 4) == 'il1:' then
      held_for = math.max(0, math.floor((now - last + block - 1) / 1000))
    end
    return {0, holder, remaining, held_for}
  else
    call('SET', KEYS[1], first, 'PX', ARGV[4])
    kept = '172800000'
  end
end

--include parts/number.lua

if granted then return call('EXISTS', KEYS[3]) == 1 and {2, fencing} or fencing end
return {0, first, remaining, 0}
