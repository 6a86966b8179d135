# For the scripts about interlock explore -- COMMAND: `source` it instead of harness.bash.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
export LC_ALL=C.UTF-8

# The Python that has redis-py.
for python in /usr/bin/python3 python3; do
  "$python" -c 'import redis' 2>/dev/null && break
  python=
done
[ -n "$python" ] || exit 77

# worker NAME: a client in Python; its body comes from standard input.
worker() {
  {
    echo 'import os, sys, time, uuid, redis'
    echo 'r = redis.Redis.from_url(os.environ["REDIS_URL"])'
    echo 'mark = lambda *words: r.execute_command("INTERLOCK", *words)'
    echo 'CAD = "if redis.call(\"get\", KEYS[1]) == ARGV[1] then return redis.call(\"del\", KEYS[1]) else return 0 end"'
    cat
  } >"$1.py"
}

# alone NAME: a client that uses one connection, as `r`; its body comes from standard input.
alone() {
  {
    echo 'r = redis.Redis(unix_socket_path=os.environ["REDIS_SOCKET"], single_connection_client=True)
send = r.connection.send_command
reply = r.connection.read_response'
    cat
  } | worker "$1"
}

redis_py() {
  worker redis_py <<'END'
lock = r.lock("lock.foo", timeout=2, blocking=False)
if lock.acquire():
    mark("ENTER", "lock.foo")
    mark("WRITE", "database")
    mark("LEAVE", "lock.foo")
    lock.release()
END
}

# The lock that its client reads before it removes it.
get_del() {
  worker get_del <<'END'
token = uuid.uuid4().hex
if r.set("lock.foo", token, nx=True, px=1000):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    if r.get("lock.foo") == token.encode():
        r.delete("lock.foo")
END
}

# The lock whose time limit is a request of its own.
setnx_expire() {
  worker setnx_expire <<'END'
if r.setnx("lock.foo", uuid.uuid4().hex):
    r.expire("lock.foo", 1)
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    r.delete("lock.foo")
END
}

# A folder that is the program's alone: what stays behind in it is from this run.
new_folder() {
  folders=$((${folders:-0} + 1))
  export TMPDIR=$workspace/t$BASHPID.$folders
  mkdir "$TMPDIR"
}
# The processes of this folder's clients: each began with LD_PRELOAD and, unless it was forked, with
# REDIS_SOCKET in it.
# True if there are any, and prints them. Those of other users cannot be read.
clients_left() { grep -lszE "^(LD_PRELOAD|REDIS_SOCKET)=$TMPDIR/" /proc/[0-9]*/environ | grep .; }

# No process, socket or folder of a client stays behind.
nothing_left() {
  ! compgen -G "$TMPDIR/interlock-*" >/dev/null || fail "a folder is left: $(ls "$TMPDIR")"
  ! clients_left >/dev/null || fail "a process is left: $(clients_left)"
}

explore() {
  local wanted=$1
  shift
  new_folder
  expect "$wanted" interlock explore "$@"
  nothing_left
}
