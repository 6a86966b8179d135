# SET with NX and PX in a shell script, released by DEL. One attempt.
r() { redis-cli -h "$REDIS_HOST" -p "$REDIS_PORT" "$@"; }

[ "$(r SET lock.foo "$HOSTNAME" NX PX 1500)" = OK ] || exit 0
r INTERLOCK ENTER lock.foo >/dev/null
r INTERLOCK LEAVE lock.foo >/dev/null
r DEL lock.foo >/dev/null
