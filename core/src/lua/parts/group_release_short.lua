-- The short way of group_release: the owner is one of a group, and nobody waits. It makes no function;
-- see parts/group_claim_short.lua. It leaves all else to the long way, parts/group_release_one.lua.
local holder, server_time = call('GET', lock), call('TIME')
local now_ms = server_time[1] * 1000 + math.floor(server_time[2] / 1000)
if holder and string.sub(holder, 1, 10) == 'il1:group:' and not call('LINDEX', queue_key, 0) then
  local group, used = string.match(holder, '^il1:group:(%w+):(%d+)/fair$')
  local ends = group and call('ZSCORE', holders_key, owner)
  local short = ends and tonumber(ends) >= now_ms
  if short and group ~= 'shared' then
    short = call('ZCOUNT', holders_key, '-inf', '(' .. now_ms) == 0
    used = math.max(0, used - (string.match(owner, '/permits:(%d+)of') or 0))
  end
  if short then
    local top = call('ZREVRANGE', holders_key, 0, 1, 'WITHSCORES')
    local ends_last, last = top[1] == owner, tonumber(top[2])
    if ends_last then
      last = top[4] and tonumber(top[4])
      if not last or last < now_ms then
        call('PUBLISH', channel, '')
        call('DEL', lock, holders_key)
        return 1
      end
    end
    call('ZREM', holders_key, owner)
    -- The set may stay for longer than the lock's key: a later group begins by deleting it.
    local left = math.max(1, last - now_ms)
    if group ~= 'shared' then
      call('SET', lock, 'il1:group:' .. group .. ':' .. used .. '/fair', 'PX', left)
    elseif ends_last then
      call('PEXPIRE', lock, left)
    end
    return 1
  end
end
