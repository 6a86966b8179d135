-- Sets `quarantine` to the milliseconds for which this server grants no lock yet; nil: it grants. It
-- stands in a block of its own. The last of KEYS notes the server's incarnation, until when the
-- quarantine lasts that began with it, and how long one lasts. The last of ARGV is how long one must
-- last.
--
-- A replica gets another replication id when it is promoted, and a server when it restarts, with or
-- without its data. Either may have lost grants whose leases are not over. So this is asked by each
-- request that could grant a lock, and not only when a client connects: a server may change its role
-- behind a connection that stays, and a request may be executed late.
local lasts = tonumber(ARGV[#ARGV])
local replication = redis.call('INFO', 'replication')
-- A replica has the id of its primary, which is the one that grants.
if string.find(replication, 'role:slave', 1, true) then
  return {err = 'READONLY A replica that accepts writes grants no lock'}
end
local incarnation = string.match(replication, 'master_replid:(%w+)')
if not incarnation then
  return {err = 'ERR the server does not tell its replication id, so a failover cannot be seen'}
end
local now_is = redis.call('TIME')
local now_ms = now_is[1] * 1000 + math.floor(now_is[2] / 1000)
local before = redis.pcall('GET', KEYS[#KEYS])
if type(before) == 'table' then return {err = before.err .. ': ' .. KEYS[#KEYS]} end
local noted, ends, noted_lasts = string.match(before or '', '^(%w+) (%d+) (%d+)$')
ends, noted_lasts = tonumber(ends), tonumber(noted_lasts)
local longest = noted and math.max(lasts, noted_lasts) or lasts
local changed = longest ~= noted_lasts
if noted ~= incarnation or ends > now_ms + longest then
  -- An end that is too far away is one of before the clock was set back.
  ends, changed = now_ms + longest, true
elseif changed and now_ms < ends then
  ends = ends + longest - noted_lasts
end
if changed then
  redis.call('SET', KEYS[#KEYS], string.format('%s %.0f %.0f', incarnation, ends, longest))
end
if now_ms < ends then quarantine = ends - now_ms end
