-- The number of the grant or offer that the script has made at `now`: more than the last one, and
-- kept for `kept`.
local fencing = math.max(1, now)
if last and last >= fencing then fencing = last + 1 end
call('SET', counter_key, string.format('%.0f', fencing + block - 1), 'PX', kept)
