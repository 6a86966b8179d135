-- What group_release does. It needs `call`, `lock`, `counter_key`, `queue_key`, `holders_key`, `owner`,
-- `channel`, `block_text`, `window` and `kept`. In a `quarantine` it admits nobody.
--include parts/group_release_short.lua
local is_last = false
do
--include parts/group.lua
  if is_in then
    is_last = call('ZCOUNT', holders_key, now_ms, '+inf') == 1
    if not is_last then
      local counter = call('GET', counter_key)
      local front = not quarantine and call('LINDEX', queue_key, 0)
--include parts/queue.lua
--include parts/group_admit.lua
      used = used - weight
      if front then
        read_queue()
        admit(false)
      end
      call('ZREM', holders_key, owner)
      finish_group(admitted)
      if front then save() end
      return 1
    end
    -- It has the lock alone.
    holder = owner
  end
end
local function release_lock()
--include parts/queue_release_one.lua
end
local reply = release_lock()
if is_last then call('DEL', holders_key) end
return reply
