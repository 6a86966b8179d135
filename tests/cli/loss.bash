# A lock that is lost while the command runs: the command ends, in time, and the code says so.
source "$(dirname "$0")/harness.bash"

token_of() { interlock status --json "$1" | field token; }

test_a_broken_lock_ends_the_command_with_79() {
  interlock run --ttl 6s --status-file result deploy -c \
    'touch up; trap "exit 0" TERM; while :; do sleep 0.01; done' 2>err &
  local wrapper=$!
  until_true exists up
  expect 0 interlock break deploy --token "$(token_of deploy)"
  wait "$wrapper"
  equal $? 79
}

test_the_message_says_what_happened_and_what_may_overlap() {
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --ttl 6s --status-file result deploy -c \
    'interlock break deploy --token $INTERLOCK_TOKEN >&2; exec sleep 100'
  silent out
  lines err 2
  says err "interlock: lost 'deploy' after "
  says err "it is held no more: it expired, was broken or erased; TERM sent, command ended in "
  says err "may overlap another holder; token was $(field token <result)"
  equal "$(cut -d, -f1-3 result)" '{"v":1,"result":"lost","exit":79'
  equal "$(cut -d, -f5 result)" '"child":{"signal":15}'
}

# Stopped for longer than its lease, while somebody else comes: the watcher has ended the command in
# time, and what is told is when that was, not when the program heard of it.
test_a_program_that_was_stopped_tells_when_its_command_ended() {
  local began most
  began=$(date +%s%N)
  interlock run --json --ttl 1s deploy -c 'trap "" TERM; touch up; while :; do sleep 0.01; done' 2>err &
  local stopped=$!
  until_true exists up
  kill -STOP "$stopped"
  expect 0 interlock run -w 30s deploy -c 'date +%s%N >entered; sleep 4'
  kill -CONT "$stopped"
  wait "$stopped"
  equal $? 79
  says err "no renewal confirmed for "
  says err "KILL sent, command ended in "
  # Until the other came, and a moment for a busy machine; not until the program went on.
  most=$((($(cat entered) - began) / 1000000 + 2000))
  [ "$(field held_ms <err)" -lt "$most" ] || fail "not within $most ms: $(cat err)"
}

test_a_command_that_returns_0_without_its_lock_gives_79() {
  # It ends before any renewal could notice: the release does.
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --status-file result deploy -c \
    'interlock break deploy --token $INTERLOCK_TOKEN'
  says err "its release found it gone"
  equal "$(cut -d, -f5 result)" '"child":{"exit":0}'
}

# The lease was certain when the command ended, and ended by itself while the store was busy.
test_a_release_that_comes_after_the_ttl_changes_no_exit_code() {
  [ "$kind" = sqlite ] || return 0
  mkfifo kept
  python3 - "${INTERLOCK_STORE#sqlite:}" >kept <<'PYTHON' &
import os, sqlite3, sys, time
while not os.path.exists("up"): time.sleep(0.01)
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("begin immediate")
print("kept", flush=True)
time.sleep(8)
PYTHON
  local keeper=$!
  expect 0 interlock run --ttl 6s deploy -c 'touch up; read -r line <kept'
  wait $keeper
  says err "was free before its release came"
  rm up
  python3 - "${INTERLOCK_STORE#sqlite:}" >kept <<'PYTHON' &
import os, sqlite3, sys, time
while not os.path.exists("up"): time.sleep(0.01)
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("begin immediate")
print("kept", flush=True)
time.sleep(8)
PYTHON
  keeper=$!
  (
    until [ -e up ]; do sleep 0.01; done
    read -r line <kept
  ) | expect 0 interlock hold --ttl 6s --ready-file up deploy
  wait $keeper
}

# A script must stop before the store grants the lock to anybody else, so it is told first.
test_hold_tells_of_a_loss_and_does_not_wait_for_its_release() {
  [ "$kind" = sqlite ] || return 0
  mkfifo pipe kept
  interlock hold --ttl 1s --ready-file up deploy <pipe >out 2>err &
  local holder=$! keeper
  exec {input}>pipe
  until_true exists up
  python3 - "${INTERLOCK_STORE#sqlite:}" >kept <<'PYTHON' &
import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("begin immediate")
print("kept", flush=True)
time.sleep(100)
PYTHON
  keeper=$!
  read -r <kept
  wait "$holder"
  equal $? 79
  kill -0 "$keeper" || fail "it has waited until its release was possible"
  exists up && fail "still said to be held"
  says err "lost 'deploy' after "
  says err "what relied on it must stop"
  kill "$keeper"
  wait "$keeper" || true
  exec {input}>&-
}

test_the_next_holder_keeps_the_lock() {
  interlock run --ttl 6s deploy -c 'touch up; exec sleep 100' 2>err1 &
  local loser=$! winner
  until_true exists up
  expect 0 interlock break deploy --token "$(token_of deploy)"
  interlock run -w 0 deploy -c 'touch in; until [ -e stop ]; do sleep 0.01; done' &
  winner=$!
  until_true exists in
  wait "$loser"
  equal $? 79
  # Nobody, if its renewal came before the winner did.
  grep -qE "lost 'deploy'.* says that (another|nobody) holds it" err1 || fail "$(cat err1)"
  is_held deploy || fail "the loser has released the winner's lock"
  touch stop
  wait "$winner" || fail "the winner gave $?"
}

test_the_way_of_ending_can_be_chosen() {
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --ttl 6s --on-lost USR1 --status-file result deploy -c '
    trap "exit 6" USR1
    interlock break deploy --token $INTERLOCK_TOKEN
    while :; do sleep 0.01; done'
  equal "$(cut -d, -f5 result)" '"child":{"exit":6}'
  says err "USR1 sent"
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --ttl 6s --on-lost kill --status-file result deploy -c '
    trap "" TERM
    interlock break deploy --token $INTERLOCK_TOKEN
    while :; do sleep 0.01; done'
  equal "$(cut -d, -f5 result)" '"child":{"signal":9}'
}

test_a_loss_may_be_ignored_but_is_told() {
  # shellcheck disable=SC2016 # the command expands it
  expect 79 interlock run --ttl 300ms --on-lost ignore deploy -c '
    interlock break deploy --token $INTERLOCK_TOKEN
    sleep 1; touch finished; exit 0'
  exists finished || fail "it was ended"
  says err "command ended by itself"
}

test_a_wrapper_that_was_stopped_past_its_lease_ends_the_command_at_once() {
  interlock run --ttl 600ms --status-file result deploy -c \
    'echo $$ >pid; trap "" TERM; while :; do sleep 0.01; done' 2>err &
  local wrapper=$!
  until_true test -s pid
  kill -STOP "$wrapper"
  # Somebody else takes the lock meanwhile.
  expect 0 interlock run -w 30s deploy true
  kill -CONT "$wrapper"
  wait "$wrapper"
  equal $? 79
  gone "$(cat pid)" || fail "the command lives"
  equal "$(cut -d, -f2 result)" '"result":"lost"'
}

test_a_store_that_falls_silent_cannot_delay_the_end() {
  if [ "$kind" = redis ]; then
    interlock run --ttl 10s -k 4s --status-file result deploy -c \
      'trap "touch told; exit 0" TERM; touch up; while :; do sleep 0.01; done' 2>err &
    local wrapper=$!
    until_true exists up
    kill -STOP "$redis_pid"
    until_true exists told
    wait "$wrapper"
    local code=$?
    kill -CONT "$redis_pid"
    equal "$code" 79
    says err "no renewal confirmed for "
    says err "TERM sent"
    # In the four seconds before the lease could end.
    says err "before anyone else could be admitted"
  fi
}

test_a_store_that_has_gone_at_the_release_does_not_change_the_code() {
  if [ "$kind" = redis ]; then
    expect 3 interlock run --ttl 20s deploy -c "kill -STOP $redis_pid; exit 3"
    kill -CONT "$redis_pid"
    says err "interlock: 'deploy' not released: "
    says err "it becomes free when its ttl ends, within 20 s"
    expect 3 interlock run --json --ttl 20s deploy-json -c "kill -STOP $redis_pid; exit 3"
    kill -CONT "$redis_pid"
    lines err 1
    says err '"not_released":"'
    says err '"exit":3'
  fi
}

test_a_renewal_that_the_server_refuses_is_told_with_its_cause() {
  [ "$kind" = redis ] || return 0
  redis-cli -p "$redis_port" acl setuser locker reset on '>pw' '~*' '&*' +@all -pexpire >/dev/null
  expect 79 interlock run --ttl 900ms --store "redis://locker:pw@127.0.0.1:$redis_port" deploy sleep 100
  lines err 1
  says err "no renewal confirmed for "
  says err "NOPERM in a script"
  says err "let this user run all that locks need (ACL SETUSER; the README has the list); TERM sent"
}

run_tests
