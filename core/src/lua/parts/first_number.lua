-- Sets `now` to the server's `time`, and `fencing` to the first number of a grant or offer that is
-- made now. This number is greater than the last one.
now = time[1] * 1000000 + time[2]
fencing = math.max(1, now)
if last and last >= fencing then fencing = last + 1 end
