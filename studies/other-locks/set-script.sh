# SET with NX and PX in a shell script, released by a script that compares. One attempt.
r() { redis-cli -h "$REDIS_HOST" -p "$REDIS_PORT" "$@"; }
release='if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'

token=$(r INTERLOCK TOKEN)
[ "$(r SET lock.foo "$token" NX PX 1500)" = OK ] || exit 0
r INTERLOCK ENTER lock.foo >/dev/null
r INTERLOCK LEAVE lock.foo >/dev/null
r EVAL "$release" 1 lock.foo "$token" >/dev/null
