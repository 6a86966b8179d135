-- `listeners`: how many clients listen on each of the channels, which are ARGV from `channels` on,
-- as NUMSUB answers it. With many locks, most have no waiter, and one NUMSUB for all is cheaper
-- than a PUBLISH for each. NUMSUB counts the subscribers of this server, where ours are, but not
-- those with a pattern. So `listeners` is nil if there are any of these, or if this user may not
-- ask for them.
local listeners
if locks > 1 and redis.pcall('PUBSUB', 'NUMPAT') == 0 then
  listeners = call('PUBSUB', 'NUMSUB', unpack(argv, channels))
end
