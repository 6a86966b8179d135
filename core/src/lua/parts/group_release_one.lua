-- What group_release does. It needs `call`, `lock`, `counter_key`, `queue_key`, `holders_key`, `owner`,
-- `channel`, `block_text`, `window` and `kept`. In a `quarantine` it admits nobody.
--include parts/group_release_short.lua
--include parts/group.lua

local leaves_others = false
if is_in then
  leaves_others = call('ZCOUNT', holders_key, now_ms, '+inf') > 1
  if not leaves_others then
    -- From here on it has the lock alone.
    call('DEL', holders_key)
    holder = owner
  elseif quarantine or call('EXISTS', queue_key) == 0 then
    local _, had = wants(owner)
    used = math.max(0, used - had)
    call('ZREM', holders_key, owner)
    finish_group({})
    return 1
  end
end

--include parts/queue_release_begin.lua
if leaves_others then
--include parts/group_admit.lua
  used = math.max(0, used - weight)
  read_queue()
  admit(false)
  call('ZREM', holders_key, owner)
  finish_group(admitted)
  save()
  return 1
end
--include parts/queue_release_rest.lua
