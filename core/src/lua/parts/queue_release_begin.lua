-- What queue_release does with one lock: its first part, after which parts/queue_release_rest.lua comes.
-- It needs `call`, `lock`, `holder` (what the lock's key holds), `counter_key`, `queue_key`, `owner`,
-- `channel`, `block_text`, `window` and `kept`. In a `quarantine` it offers the lock to nobody: the
-- owner may be one whose release this server has missed, so that another owner may hold the lock.
--
-- Without a queue there is nobody to notify in it, and no fencing token to make.
if call('EXISTS', queue_key) == 0 then
  if holder and holder ~= owner then return -1 end
  call('PUBLISH', channel, '')
  if not holder then return 0 end
  call('DEL', lock)
  return 1
end
local places, counter = call('LRANGE', queue_key, 0, 2), call('GET', counter_key)

--include parts/queue.lua
