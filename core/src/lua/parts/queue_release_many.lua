-- The releases of many locks. It needs what queue_release_one needs, and that as the function
-- `release`. What all locks have in common is asked once; each lock that has a queue, or is not the
-- owner's, is released as if it came alone. These come last, and before them the one DEL: if the
-- server refuses to publish or to delete, nothing has changed yet. Why NUMSUB: release.lua.
local locks = #keys / 3
local queues = call('EXISTS', unpack(keys, 2 * locks + 1))
local holders = call('MGET', unpack(keys, 1, locks))
local listeners
if call('PUBSUB', 'NUMPAT') == 0 then
  listeners = call('PUBSUB', 'NUMSUB', unpack(argv, locks + 3))
end
local replies, released = {}, {}
for n = 1, locks do
  local is_plain = holders[n] == argv[2 + n] and
    (queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0)
  if is_plain then
    if not listeners or listeners[2 * n] > 0 then call('PUBLISH', argv[2 + locks + n], '') end
    released[#released + 1] = keys[n]
    replies[n] = 1
  end
end
if #released > 0 then call('DEL', unpack(released)) end
for n = 1, locks do
  replies[n] = replies[n] or reply_of(release, keys[n], keys[locks + n], keys[2 * locks + n],
                                      argv[2 + n], argv[2 + locks + n])
end
return replies
