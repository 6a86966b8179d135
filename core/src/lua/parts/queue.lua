-- The part of the scripts with a queue that reads and changes the queue. It needs `call`,
-- `queue_key`, `owner`, `counter`, `block_text` and `window`; `now` and `fencing` are set
-- (parts/first_number.lua) before it reads the queue.
--
-- The queue is a list with a line for each place, first come first: "<owner> <w or o><kept until>
-- <wake-up channel>"; w waits, o has had an offer. A waiter may enter by the offer's message, and
-- then its line stays in front until it releases the lock. While nobody is slow or dead, a script
-- touches only the two ends of the queue, however long it is, and makes none of these functions: to
-- make one takes up to half as long as a command. A place in the middle is searched for from the
-- front.
--
-- Every PUBLISH, and every read that can fail, comes before the first change: a key of another
-- type, or a channel that this user may not use, ends the script and has changed nothing. But a
-- message is on its way even if the script fails after sending it, and an offer's message gives a
-- lease. So before an offer is published, an LSET that changes nothing shows that this server takes
-- writes: a server that has become a replica, or has no memory left, ends the script there. The
-- script also asks before whether a client listens, because replicas pass a message on to their own
-- listeners, which the reply of PUBLISH does not count.
local block = tonumber(block_text)
local last = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
if last and last > 9007199254740991 - block then last = nil end
local now      -- in microseconds
local fencing  -- the first number of the grant or offer that is made now

local line_at, change, save, place_of_mine, first_in_line
local function read_queue()
  -- The lines from the front of the queue, as far as they were read; '' is a line that goes.
  local lines, whole = {}, false
  local changed, goes = {}, false

  line_at = function(n)
    if n > #lines and not whole then
      local page = call('LRANGE', queue_key, #lines, #lines + 15)
      for at = 1, #page do lines[#lines + 1] = page[at] end
      whole = #page < 16
    end
    return lines[n]
  end

  change = function(n, line)
    lines[n] = line
    changed[n] = true
    goes = goes or line == ''
  end

  save = function()
    for n in pairs(changed) do call('LSET', queue_key, n - 1, lines[n]) end
    if goes then call('LREM', queue_key, 0, '') end
  end

  place_of_mine = function()
    local n = 1
    while line_at(n) do
      if string.sub(lines[n], 1, #owner + 1) == owner .. ' ' then return n end
      n = n + 1
    end
  end

  -- Returns the owner that is to have the lock: the first that waits and listens. Sends it a
  -- message (core's offer.hpp), unless it is the owner of this call, which claims. Second result:
  -- the places of the owner of this call on the way there. `joins`: this owner takes a place behind
  -- all others after this.
  first_in_line = function(claims, joins)
    local mine, n, others_wait = {}, 0, joins
    while true do
      n = n + 1
      local line = line_at(n)
      if not line then return nil, mine end
      local who, flag, kept_until, wake_up = string.match(line, '^(%S+) ([wo])(%d+) (%S+)$')
      if not who then
        change(n, '')
      elseif tonumber(kept_until) < math.floor(now / 1000) then
        change(n, '')
        -- Most likely dead. If it is only slow, it must know that nobody will call it.
        if wake_up ~= '-' and who ~= owner then call('PUBLISH', wake_up, who) end
      elseif who == owner then
        mine[#mine + 1] = n
        if claims and flag == 'w' then return owner, mine end
      elseif flag == 'w' then
        change(n, who .. ' o' .. kept_until .. ' ' .. wake_up)
        if wake_up == '-' then return who, mine end
        if call('PUBSUB', 'NUMSUB', wake_up)[2] > 0 then
          local others = (others_wait or line_at(n + 1)) and 1 or 0
          call('LSET', queue_key, n - 1, line)
          call('PUBLISH', wake_up,
               string.format('%s %.0f %s %d %s', who, fencing, block_text, others, window))
          return who, mine
        end
        -- It may listen at a replica of this server, which passes messages on.
        call('PUBLISH', wake_up, who)
        others_wait = true
      else
        others_wait = true
      end
    end
  end
end
