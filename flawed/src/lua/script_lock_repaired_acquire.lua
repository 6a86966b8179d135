-- As script_lock_acquire.lua, but the stamp names its owner, and the server sets value and expiry
-- in one step.
local seen = redis.call('GET', KEYS[1])
if seen then
  local ends = tonumber(string.match(seen, '^(%d+):') or string.match(seen, '^(%d+)$'))
  if ends >= tonumber(ARGV[3]) then return 2 end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2] + 1)
return 0
