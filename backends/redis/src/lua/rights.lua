-- Answers the commands that this user may not run, each with a space in front: those that every lock
-- needs, and those that readers and permits need.
-- ARGV: a key that does not exist. It is not in KEYS, because a user without rights to it could not
-- run this. Nothing is changed: what RPUSH and ZADD write is deleted at once, and they are tried only
-- by a user who may delete.
local key, refused = ARGV[1], ''

-- Whether this user may run the command. A key or a channel may be refused: the user has others.
local function try(command, ...)
  local reply = redis.pcall(command, ...)
  local why = type(reply) == 'table' and reply.err or ''
  if not string.find(why, 'run th', 1, true) then return true end
  refused = refused .. ' ' .. command
  return false
end

try('get', key)
try('set', key, '', 'XX')
try('mget', key)
try('pttl', key)
try('pexpire', key, 1)
try('time')
try('publish', key, '')
try('pubsub', 'numsub', key)
try('exists', key)
try('lindex', key, 0)
try('lpop', key)
try('lrange', key, 0, 0)
try('lrem', key, 0, '')
try('lset', key, 0, '')
local may_delete = try('del', key)
if may_delete then
  try('rpush', key, '')
  redis.pcall('del', key)
end
local of_locks = refused

refused = ''
try('zcount', key, 0, 0)
try('zrangebyscore', key, 0, 0)
try('zrevrange', key, 0, 0)
try('zscore', key, '')
try('zremrangebyscore', key, 0, 0)
try('zrem', key, '')
if may_delete then
  try('zadd', key, 0, '')
  redis.pcall('del', key)
end
return {of_locks, refused}
