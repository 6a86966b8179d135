# For the scripts beside this file: `source` it, write functions named test_..., end with run_tests.
# usage of a script: bash NAME.bash PROGRAM KIND    KIND: memory, sqlite or redis
# Every test runs in a process and a folder of its own, with a store that nobody else uses.
set -u

program=$(realpath "$1")
kind=$2
sources=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
PATH=$(dirname "$program"):$PATH
unset "${!INTERLOCK_@}" COLUMNS PAGER

workspace=$(mktemp -d)
redis_pid=
end_workspace() {
  if [ -n "$redis_pid" ]; then
    kill -9 "$redis_pid"
    # Without the word "Killed".
    wait "$redis_pid" 2>/dev/null
  fi
  rm -rf "$workspace"
}
trap end_workspace EXIT

start_redis() {
  local attempt
  for attempt in {1..50}; do
    redis_port=$((RANDOM % 20000 + 20000))
    redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no \
      --dir "$workspace" >"$workspace/redis.log" 2>&1 &
    redis_pid=$!
    for _ in {1..100}; do
      # Somebody else's server may answer on that port: ours says its own process id.
      if [ "$(redis-cli -p "$redis_port" info server 2>/dev/null | tr -d '\r' |
        sed -n 's/^process_id://p')" = "$redis_pid" ]; then return; fi
      kill -0 "$redis_pid" 2>/dev/null || break
      sleep 0.05
    done
    kill -9 "$redis_pid" 2>/dev/null
  done
  echo "no redis-server could be started after $attempt attempts:"
  cat "$workspace/redis.log"
  exit 1
}

choose_store() {
  case $kind in
    memory) export INTERLOCK_STORE=memory: ;;
    sqlite) export INTERLOCK_STORE=sqlite:$dir/locks.db ;;
    redis)
      redis-cli -p "$redis_port" flushall >/dev/null
      export INTERLOCK_STORE=redis://127.0.0.1:$redis_port
      ;;
  esac
}

fail() {
  echo "  failed: $*"
  for file in out err screen; do
    [ -s "$dir/$file" ] && cat -v "$dir/$file" | sed "s/^/  $file: /"
  done
  exit 1
}

# expect CODE COMMAND...: runs it and compares its exit code; what it said is in out and err.
expect() {
  local wanted=$1 code=0
  shift
  "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = "$wanted" ] || fail "$* gave $code, not $wanted"
}

# says FILE TEXT: TEXT is somewhere in the file out or err.
says() { grep -qF -- "$2" "$dir/$1" || fail "std$1 does not say: $2"; }
says_not() { ! grep -qF -- "$2" "$dir/$1" || fail "std$1 says: $2"; }
silent() { [ ! -s "$dir/$1" ] || fail "std$1 is not empty"; }
lines() { [ "$(wc -l <"$dir/$1")" = "$2" ] || fail "std$1 has not $2 lines"; }
equal() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }

# takes_signals PID [TERM]: the program itself decides what an interrupt does, or a termination: it waits
# for it, or has a handler. Before that, and in the shell that starts it, a signal would just end it or
# be lost.
takes_signals() {
  local digits='[2367abef]'
  [ "${2:-INT}" = INT ] || digits='[4567cdef]...'
  grep -qs '^Name:[[:space:]]*interlock$' "/proc/$1/status" &&
    grep -qsE "^Sig(Blk|Cgt):.*$digits\$" "/proc/$1/status"
}

# interrupted default|ignore WORDS...: the program's exit code, when an interrupt came after a second.
# A shell's jobs in the background ignore it, unless they are told what to do with it.
interrupted() {
  local begins_with=$1 pid code=0
  shift
  env "--$begins_with-signal=INT" "$program" "$@" >"$dir/out" 2>"$dir/err" &
  pid=$!
  [ "$begins_with" = ignore ] || until_true takes_signals "$pid"
  sleep 1
  kill -INT "$pid"
  wait "$pid" || code=$?
  echo "$code"
}

# within 30 s; how long it took never decides a test
until_true() {
  local _
  for _ in {1..3000}; do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.01
  done
  fail "never came true: $*"
}
exists() { [ -e "$1" ]; }
# Has ended. Process 1 may be slow to ask for the exit code of an orphan, which `kill -0` finds until
# then.
gone() { ! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"; }
is_free() { interlock status "$1" | grep -q ': free'; }
is_held() { interlock status "$1" | grep -q ': held'; }
# One field of one JSON object on stdin.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }

run_tests() {
  local test failed=0 count=0
  [ "$kind" != redis ] || start_redis
  for test in $(declare -F | sed -n 's/^declare -f \(test_.*\)$/\1/p'); do
    count=$((count + 1))
    (
      dir=$workspace/$test
      mkdir "$dir"
      cd "$dir" || exit 1
      export HOME=$dir
      choose_store
      trap 'kill -9 $(jobs -p) 2>/dev/null' EXIT
      "$test"
    ) || {
      failed=1
      echo "FAILED: $test"
    }
  done
  echo "$count tests of $(basename "$0") on $kind"
  [ "$count" -gt 0 ] || failed=1
  exit "$failed"
}
