-- The commands that locks need and this user may not run, each with a space in front. ARGV: a key
-- that does not exist; not in KEYS, because a user without rights to it could not run this. Nothing
-- is changed.
local key, refused = ARGV[1], ''
local needed = {
  {'get', key}, {'set', key, '', 'XX'}, {'mget', key}, {'del', key}, {'pttl', key},
  {'pexpire', key, 1}, {'time'}, {'publish', key, ''}, {'pubsub', 'numsub', key},
  {'exists', key}, {'lindex', key, 0}, {'lpop', key}, {'lrange', key, 0, 0}, {'lrem', key, 0, ''},
  {'lset', key, 0, ''},
}
for _, command in ipairs(needed) do
  local reply = redis.pcall(unpack(command))
  -- A key or a channel may be refused: the user has others.
  local why = type(reply) == 'table' and reply.err or ''
  if string.find(why, 'run th', 1, true) then refused = refused .. ' ' .. command[1] end
end
return refused
