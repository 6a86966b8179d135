-- The group that has a lock: readers, or holders of permits. It needs `call`, `holder` (what the lock's
-- key holds), `holders_key`, `owner` and `now_ms`.
--
-- While a group has the lock, the lock's key holds "il1:group:shared:<token>/fair", or
-- "il1:group:<all permits>:<permits in use>/fair". To all who do not know groups that is another owner
-- who hands over. The key ends with the last lease of the group. The holders are in a sorted set,
-- scored by the millisecond in which their leases end; those that have ended count no more. How an
-- owner token ends says what its owner wants: "/shared/fair", or "/permits:<n>of<all>/fair".
--
-- Only finish_group() writes.
local function wants(who)
  if string.sub(who, -12) == '/shared/fair' then return 'shared', 0 end
  local weight, all = string.match(who, '/permits:(%d+)of(%d+)/fair$')
  return all, tonumber(weight)
end

local group, number = string.match(holder or '', '^il1:group:(%w+):(%d+)/fair$')
local used, is_in = 0, false
if group and group ~= 'shared' then
  used = tonumber(number)
  for _, dead in ipairs(call('ZRANGEBYSCORE', holders_key, '-inf', '(' .. now_ms)) do
    local _, had = wants(dead)
    used = math.max(0, used - had)
  end
end
if group then
  local ends = call('ZSCORE', holders_key, owner)
  is_in = ends and tonumber(ends) >= now_ms
end

-- Writes the group anew. `ends` has the new holders and when their leases end; `begins` is what the
-- lock's key holds from now on, for readers whose group begins. `lasts`: for how many ms the lock's key
-- stays at least; nil: as long as the other holders' leases. What a user without rights to sorted sets
-- is refused comes before the first write that stays, and the lock's key always has an end.
local function finish_group(ends, begins, lasts)
  local latest = now_ms + (lasts or 0)
  local others = lasts and {} or call('ZREVRANGE', holders_key, 0, 1, 'WITHSCORES')
  for n = 1, #others, 2 do
    if not ends[others[n]] then latest = math.max(latest, others[n + 1]) end
  end
  call('ZREMRANGEBYSCORE', holders_key, '-inf', '(' .. now_ms)
  for who, at in pairs(ends) do
    call('ZADD', holders_key, string.format('%.0f', at), who)
    latest = math.max(latest, at)
  end
  local left = math.max(1, latest - now_ms)
  local text = begins
  if group ~= 'shared' then text = string.format('il1:group:%s:%.0f/fair', group, used) end
  if text then
    call('SET', lock, text, 'PX', left)
  else
    call('PEXPIRE', lock, left)
  end
  call('PEXPIRE', holders_key, left)
end
