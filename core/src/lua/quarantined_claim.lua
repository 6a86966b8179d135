-- Claims one lock at a store with quarantines: like claim, but while there is a quarantine, only the
-- owner itself is granted the lock again. KEYS, ARGV and the replies: interlock/store/owner_scripts.hpp.
local call, pcall = redis.call, redis.pcall
local keys, argv = {KEYS[1], KEYS[2]}, {ARGV[2], ARGV[3], ARGV[1]}

local quarantine = nil
do
--include parts/quarantine.lua
end
if quarantine and call('GET', keys[1]) ~= argv[3] then
  return {0, 'il1:quarantine/fair', quarantine, -1}
end

--include parts/claim.lua
