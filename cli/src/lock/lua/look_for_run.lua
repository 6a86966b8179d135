-- KEYS last run. [what note_run has noted or '', the store's clock in ms].
local time = redis.call('TIME')
return {redis.call('GET', KEYS[1]) or '', time[1] * 1000 + math.floor(time[2] / 1000)}
