# Descriptors or processes run out: one line and 71, never a hang, and nothing is left behind.
source "$(dirname "$0")/harness.bash"
# A store that cannot be opened for want of descriptors would be waited for.
export INTERLOCK_STORE_OUTAGE=0

# with_limit LIMIT COMMAND...: `timeout` ends what hangs, with 137.
with_limit() {
  local limit=$1
  shift
  (
    # shellcheck disable=SC2086 # a letter and a number
    ulimit $limit
    exec timeout -s KILL 60 "$@"
  )
}
# Either it can be done, or the system is named and nothing was.
done_or_told() {
  local code=0
  "$@" >out 2>err || code=$?
  case $code in
    0) silent err ;;
    71)
      lines err 1
      grep -q 'raise .*limit' err || fail "no remedy"
      ;;
    # Too few for the system to load a program's libraries, before there is anything of ours.
    127) says err 'error while loading shared libraries' ;;
    *) fail "$* gave $code" ;;
  esac
}

test_few_descriptors_are_told_and_never_waited_for() {
  local limit
  for limit in {4..24}; do
    done_or_told with_limit "-n $limit" interlock run deploy touch "ran-$limit"
    [ "$(stat -c %s err)" != 0 ] || [ -e "ran-$limit" ] || fail "$limit: it did not run"
    done_or_told with_limit "-n $limit" interlock hold deploy < <(echo)
    done_or_told with_limit "-n $limit" interlock hold --ready-file ready deploy < <(echo)
  done
  # Enough at last.
  [ -e ran-24 ] || fail "24 descriptors are too few: $(cat err)"
  is_free deploy || fail "still held"
}

test_few_descriptors_are_told_in_json_too() {
  expect 71 with_limit "-n 10" interlock run --json deploy true
  says err '{"v":1,"result":"failed","exit":71'
}

test_few_processes_are_told() {
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || return 0 # root has no such limit
  local number user=$((61000 + RANDOM % 4000))
  chmod 777 "$dir"
  chmod 755 "$workspace"
  cp "$program" "$workspace/interlock"
  # Under the address sanitizer: the search for leaks is a process of its own.
  local -x ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
  for number in 1 2 3 4 5 6 7 8; do
    done_or_told timeout -s KILL 60 setpriv --reuid "$user" --clear-groups -- bash -c \
      'ulimit -u "$1"; exec "$2" run deploy true' - "$number" "$workspace/interlock"
  done
  silent err # eight are enough
}

test_little_memory_for_threads_names_its_limit() {
  # The address sanitizer takes more addresses than any limit leaves.
  ldd "$program" | grep -q 'libasan' && return 0
  local limit
  for limit in $(seq 8000 2000 60000); do
    with_limit "-v $limit" interlock run deploy true >out 2>err && continue
    if grep -q 'Resource temporarily unavailable' err; then
      says err "ulimit -v"
      return
    fi
  done
  fail "no limit keeps a thread from starting"
}

test_a_limit_on_file_sizes_is_told_and_the_command_has_the_signal_as_before() {
  [ "$kind" = sqlite ] || return 0
  local command
  for command in 'run deploy touch ran' 'status' 'check'; do
    rm -f small.db*
    touch small.db
    # shellcheck disable=SC2086 # words
    (
      ulimit -f 0
      INTERLOCK_STORE=sqlite:$dir/small.db interlock $command 2>&1
      echo "code $?"
    ) | cat >out
    grep -qx 'code 71' out || fail "$command: $(cat out)"
    says out "the limit on file sizes (File too large): raise the limit (ulimit -f)"
  done
  [ ! -e ran ] || fail "it ran"
  interlock run deploy grep SigIgn /proc/self/status >with
  grep SigIgn /proc/self/status >without
  equal "$(cat with)" "$(cat without)"
}

test_check_names_the_limit_that_keeps_it_from_inotify() {
  [ "$kind" = sqlite ] || return 0
  local count warned=0
  for count in {4..12}; do
    (
      ulimit -n "$count"
      exec interlock check
    ) >out 2>err || true
    grep -q 'warning  waking' out || continue
    warned=1
    says out "(ulimit -n, -u, -v)"
  done
  equal "$warned" 1
}

run_tests
