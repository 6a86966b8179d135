-- Admits those who wait in front and may join the group: readers as far as the first that wants the
-- lock alone; holders of permits as long as there are enough. One who is dead stops nobody. It needs
-- parts/queue.lua, with the queue read, and parts/group.lua. `asks`: the owner of this call wants to be
-- admitted in its turn; its turn is the last, if it has no place. Returns whether it is, and how many
-- others are. `admitted` gets these, and when their leases end. They are sent a message, ask again,
-- and have the lock then.
local kind, weight = wants(owner)
local function fits(its_kind, its_weight)
  if its_kind ~= group then return false end
  return group == 'shared' or used + its_weight <= tonumber(group)
end

local admitted = {}
local function admit(asks)
  local n, is_admitted, others = 0, false, 0
  while true do
    n = n + 1
    local line = line_at(n)
    if not line then break end
    local who, flag, kept_until, wake_up = string.match(line, '^(%S+) ([wo])(%d+) (%S+)$')
    if not who then
      change(n, '')
    elseif who == owner then
      if asks and not is_admitted then
        if not fits(kind, weight) then return false, others end
        used = used + weight
        is_admitted = true
      end
      change(n, '')
    elseif tonumber(kept_until) < now_ms then
      change(n, '')
      if wake_up ~= '-' then call('PUBLISH', wake_up, who) end
    elseif flag == 'w' and wake_up ~= '-' and call('PUBSUB', 'NUMSUB', wake_up)[2] == 0 then
      change(n, who .. ' o' .. kept_until .. ' ' .. wake_up)
      call('PUBLISH', wake_up, who)
    elseif flag == 'w' then
      local its_kind, its_weight = wants(who)
      -- It counts to another number of permits: it asks again, and is told.
      local is_wrong = its_kind and its_kind ~= 'shared' and group ~= 'shared' and its_kind ~= group
      if is_wrong then
        change(n, '')
        if wake_up ~= '-' then call('PUBLISH', wake_up, who) end
      elseif not fits(its_kind, its_weight) then
        return is_admitted, others
      else
        used = used + its_weight
        admitted[who] = now_ms + window
        others = others + 1
        change(n, '')
        if wake_up ~= '-' then call('PUBLISH', wake_up, who) end
      end
    end
  end
  if asks and not is_admitted and fits(kind, weight) then
    used = used + weight
    is_admitted = true
  end
  return is_admitted, others
end
