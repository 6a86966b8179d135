-- Who holds a lock, and what was proclaimed beside it. KEYS and the reply: interlock/leader.hpp.
local holder = redis.call('GET', KEYS[1])
if not holder then return {'', -1, ''} end
return {holder, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or ''}
