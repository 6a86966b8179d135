-- Grants locks to owners. KEYS, ARGV and the replies: interlock/store/owner_scripts.hpp.
local call, pcall, keys, argv = redis.call, redis.pcall, KEYS, ARGV

--include parts/claim.lua
