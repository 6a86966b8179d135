-- KEYS what notes the incarnation. [the note or '', the incarnation now, the server's time in ms].
local time = redis.call('TIME')
local note = redis.pcall('GET', KEYS[1])
if type(note) == 'table' then return {err = note.err .. ': ' .. KEYS[1]} end
return {note or '',
        string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or '',
        time[1] * 1000 + math.floor(time[2] / 1000)}
