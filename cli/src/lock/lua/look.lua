-- KEYS lock, fencing counter, queue. [holder, remaining, counter, counter's remaining, places in
-- the queue]: '' for a key that is not there; times in ms, or -1, or -2. The counter has up to 53
-- bits and passes as text.
return {redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1]),
        redis.call('GET', KEYS[2]) or '', redis.call('PTTL', KEYS[2]),
        redis.call('LLEN', KEYS[3])}
