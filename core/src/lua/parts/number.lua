-- Keeps the last number of the block that begins with `fencing` (queue.lua), for `kept`.
call('SET', counter_key, string.format('%.0f', fencing + block - 1), 'PX', kept)
