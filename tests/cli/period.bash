# `interlock run --at-least` and `--every`: a lock that outlives its command.
source "$(dirname "$0")/harness.bash"

test_status_says_that_the_command_of_a_kept_lock_has_ended() {
  expect 0 interlock run --every 1h nightly -- true
  expect 0 interlock status nightly
  says out "its command has ended: the lock is kept for another 59 min"
  # The run before has ended, this one has not.
  local token
  token=$(interlock status --json nightly | field token)
  expect 0 interlock break nightly --token "$token"
  expect 0 interlock run --every 1h nightly -- interlock status nightly
  says out "unless renewed"
  says out "the last run ended"
}

test_a_lock_stays_held_for_the_time_that_is_asked_for() {
  expect 0 interlock run --at-least 1h nightly -- true
  silent err
  expect 75 interlock run -w 0 nightly -- touch twice
  says err "'nightly' not acquired: held by"
  [ ! -e twice ] || fail "it ran twice"
  interlock status nightly --json >state
  [ "$(field remaining_ms <state)" -gt 3500000 ] || fail "$(cat state)"
}

test_a_lock_that_was_held_for_longer_is_free_afterwards() {
  expect 0 interlock run --at-least 1ms nightly -- sleep 0.1
  is_free nightly || fail "still held"
}

test_a_command_runs_once_in_a_period() {
  expect 3 interlock run --every 1h nightly -- sh -c 'exit 3'
  expect 75 interlock run --every 1h nightly -- touch twice
  says err "interlock: 'nightly' has run in this period: the last run ended"
  says err "; the next run can begin in "
  says err "with exit code 3"
  [ ! -e twice ] || fail "it ran twice"
  expect 75 interlock run --every 1h --json nightly -- true
  says err '"result":"has_run"'
  equal "$(sed 's/.*"last_run":{\([^}]*\).*/\1/' err | grep -o '"exit":[0-9]*')" '"exit":3'
}

test_of_ten_that_come_together_one_runs() {
  local each
  for each in {1..10}; do
    interlock run -q --every 1h nightly -- sh -c 'echo ran >>runs' &
  done
  wait
  equal "$(wc -l <runs)" 1
}

# A grant's token is the store's clock in microseconds.
test_two_runs_are_never_within_one_period() {
  local each
  for each in {1..5}; do
    for _ in {1..5}; do
      interlock run -q -w 60s --every 200ms nightly -- sh -c 'echo "$INTERLOCK_TOKEN" >>tokens' || exit
    done &
  done
  wait
  equal "$(wc -l <tokens)" 25
  sort -n tokens | awk 'NR > 1 && $1 - before < 200000 { exit 1 } { before = $1 }' ||
    fail "two runs in a period: $(sort -n tokens)"
}

# A reboot, as the file sees it, is another boot id.
test_a_period_outlasts_a_restart_of_the_machine_in_a_file() {
  [ "$kind" = sqlite ] || return 0
  expect 0 interlock run --every 1h nightly -- true
  expect 0 interlock run --at-least 1h other -- true
  /usr/bin/python3 -c '
import sqlite3
database = sqlite3.connect("locks.db")
database.execute("UPDATE meta SET boot = x'"'00'"'")
database.commit()'
  expect 75 interlock run --every 1h nightly -- touch twice
  says err "'nightly' has run in this period"
  [ ! -e twice ] || fail "it ran twice"
  is_held other || fail "kept for less than it was asked for"
}

test_when_the_period_is_over_it_runs_again() {
  expect 0 interlock run --every 200ms nightly -- true
  expect 0 interlock run --every 200ms -w 1m nightly -- true
}

test_status_tells_that_a_lock_is_kept_without_its_command() {
  interlock run --at-least 1h nightly -- sh -c 'until [ -e go ]; do sleep 0.02; done; exit 3' &
  until_true is_held nightly
  expect 0 interlock status nightly
  says out "unless renewed"
  expect 0 interlock status
  says_not out ", kept"
  ! grep -q "last run" out || fail "a run has ended that goes on"
  touch go
  wait "$!"
  expect 0 interlock status nightly
  says out "its command has ended: the lock is kept for another"
  says out "with exit code 3"
  expect 0 interlock status
  says out " min, kept"
  expect 0 interlock status --json
  says out '"command_has_ended":true'
  expect 75 interlock run -w 0 nightly -- true
  says err "; its command has ended: the lock is kept"
  expect 75 interlock run --every 1h nightly -- true
  says err "'nightly' has run in this period"
}

test_verbose_does_not_say_that_a_kept_lock_is_released() {
  expect 0 interlock run -v --at-least 1h nightly -- true
  says err "left 'nightly' held for the rest of its time"
  ! grep -q released err || fail "$(cat err)"
}

test_the_end_of_a_command_is_not_noted_where_the_lock_is_not_kept() {
  expect 0 interlock run nightly -- true
  expect 0 interlock run --at-least 1ms nightly -- sleep 0.1
  expect 0 interlock status nightly
  ! grep -q "last run" out || fail "$(cat out)"
}

test_a_run_that_is_under_way_is_told_with_the_last_one() {
  expect 0 interlock run --every 1ms nightly -- true
  interlock run --every 1h nightly -- sleep 60 &
  until_true is_held nightly
  expect 75 interlock run --every 1h nightly -- true
  says err "'nightly' not acquired: held by"
  says err "; the last run ended"
  expect 75 interlock run --every 1h --json nightly -- true
  says err '"result":"not_acquired"'
  kill "$!"
  wait "$!"
  equal "$?" 143
}

test_status_tells_the_last_run() {
  expect 3 interlock run --every 1h nightly -- sh -c 'exit 3'
  interlock status nightly >seen
  grep -q '^  the last run ended .* ago with exit code 3, after .*, by ' seen || fail "$(cat seen)"
  interlock status --json nightly >seen
  grep -q '"last_run":{"ended_ms_ago":[0-9]*,"held_ms":[0-9]*,"exit":3,"holder":{' seen ||
    fail "$(cat seen)"
  # It is told until the next one, also when the lock is free.
  token=$(field token <seen)
  expect 0 interlock break nightly --token "$token"
  interlock status nightly | grep -q 'the last run ended' || fail "$(interlock status nightly)"
  interlock status another | grep -q 'last run' && fail "a run of another lock"
  return 0
}

test_a_command_that_cannot_begin_leaves_the_period_to_another() {
  expect 127 interlock run --every 1h nightly -- ./no-such-command
  is_free nightly || fail "still held"
  expect 0 interlock run --every 1h nightly -- true
}

test_a_signal_before_the_command_begins_leaves_the_period_to_another() {
  local each
  for each in {1..30}; do
    interlock run --every 1h "nightly$each" -- touch "ran$each" 2>/dev/null &
    sleep "0.00$((each % 8))"
    kill "$!" 2>/dev/null
    wait "$!"
    # The signal may also have ended the command before it could leave a file.
    [ -e "ran$each" ] || is_free "nightly$each" || has_last_run "nightly$each" ||
      fail "held, and nothing has run: $each"
  done
}

# The server has a request that it does not execute yet.
is_held_back() { redis-cli -p "$redis_port" info clients | grep -q '^blocked_clients:1'; }
# No signal is left that it has not heard of.
has_taken_signals() { ! grep -qs '^ShdPnd:.*[1-9a-f]' "/proc/$1/status"; }

# The server grants the lock after the signal, because it executes no script meanwhile.
test_a_grant_that_comes_after_a_signal_leaves_the_period_to_another() {
  [ "$kind" = redis ] || return 0
  trap 'ask client unpause; kill -9 $(jobs -p) 2>/dev/null' EXIT
  ask client pause 60000 write
  interlock run --every 1h -w 60s nightly -- touch ran &
  until_true is_held_back
  until_true takes_signals "$!" TERM
  kill "$!"
  until_true has_taken_signals "$!"
  ask client unpause
  wait "$!"
  [ ! -e ran ] || fail "it ran"
  is_free nightly || fail "held, and nothing has run"
}

test_a_run_is_noted_as_soon_as_the_store_answers_again() {
  [ "$kind" = redis ] || return 0
  expect 0 interlock run --every 1h nightly -- redis-cli -p "$redis_port" client pause 2500 all
  says_not err "not noted"
  says_not err "not kept"
  has_last_run nightly || fail "$(interlock status nightly)"
  is_held nightly || fail "free"
}

test_a_period_is_no_longer_than_a_quarantine() {
  [ "$kind" = redis ] || return 0
  expect 64 interlock run --store "$INTERLOCK_STORE?after-failover=wait&longest-ttl=6s" --ttl 6s \
    --every 1h nightly -- true
  says err "interlock: --every 1h is longer than the longest-ttl of the store, 6 s: choose a shorter"
}

test_a_ttl_is_no_longer_than_a_quarantine() {
  [ "$kind" = redis ] || return 0
  local store="$INTERLOCK_STORE?after-failover=wait&longest-ttl=6s"
  expect 64 interlock run --store "$store" --ttl 10s nightly -- true
  says err "interlock: --ttl 10s is longer than the longest-ttl of the store, 6 s: choose a shorter ttl"
  expect 78 env INTERLOCK_TTL=10s interlock run --store "$store" nightly -- true
  expect 78 env INTERLOCK_TTL=10s interlock hold --store "$store" nightly < <(echo)
}

test_a_note_of_another_type_does_not_hide_the_holder() {
  [ "$kind" = redis ] || return 0
  expect 0 interlock run --every 1h nightly -- true
  ask del '{nightly}:interlock:last'
  ask lpush '{nightly}:interlock:last' 1
  interlock status nightly >seen || fail "$?"
  grep -q '^nightly: held by ' seen || fail "$(cat seen)"
  grep -q '^  the last run is not known: WRONGTYPE' seen || fail "$(cat seen)"
  interlock status --json nightly | grep -q '"last_run_error":"WRONGTYPE' || fail "no error in JSON"
}
ask() { redis-cli -p "$redis_port" "$@" >/dev/null; }

# Its place in the queue is offered the lock, and nobody takes the offer.
test_a_dead_waiter_keeps_nobody_from_running() {
  # Long enough for the other one to come while it lasts.
  expect 0 interlock run --every 6s nightly -- true
  interlock run -w 1h nightly -- true 2>/dev/null &
  until_true queues nightly
  kill -9 "$!"
  wait "$!" 2>/dev/null
  until_true is_free nightly
  expect 0 interlock run --every 1h nightly -- true
}
has_last_run() { interlock status "$1" | grep -q 'the last run ended'; }
queues() { interlock status "$1" | grep -q 'in the queue'; }

test_it_waits_only_when_the_command_line_says_so() {
  expect 0 interlock run --every 1h nightly -- true
  INTERLOCK_WAIT=forever expect 75 timeout 30 interlock run --every 1h nightly -- true
}

# In a queue it would ask 10 to 20 times a second, because the holder hands over to nobody.
test_who_waits_for_the_end_of_a_period_seldom_asks() {
  [ "$kind" = redis ] || return 0
  expect 0 interlock run --every 1h nightly -- true
  ask config resetstat
  expect 75 interlock run --every 1h -w 2s nightly -- true
  local calls
  calls=$(redis-cli -p "$redis_port" info commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p')
  [ "$calls" -le 8 ] || fail "$calls scripts in two seconds"
}

test_a_run_that_a_signal_ends_has_run() {
  expect 137 interlock run --every 1h nightly -- sh -c 'kill -9 $$'
  expect 75 interlock run --every 1h nightly -- true
  says err "with exit code 137"
}

test_a_machine_that_dies_leaves_the_period_to_another() {
  interlock run --ttl 5s --every 1h nightly -- sleep 60 2>/dev/null &
  holder=$!
  until_true is_held nightly
  kill -9 "$holder"
  wait "$holder" 2>/dev/null
  expect 0 interlock run -w 30s --every 1h nightly -- true
}

test_a_lost_run_is_not_noted() {
  expect 79 interlock run --ttl 900ms --every 1h nightly -- sh -c \
    'interlock break nightly --token "$INTERLOCK_TOKEN" && sleep 60'
  ! interlock status nightly | grep -q 'last run' || fail "$(interlock status nightly)"
}

test_wrong_periods_are_refused() {
  expect 64 interlock run --every 0 nightly -- true
  says err "out of range; choose 1ms to 365d"
  expect 64 interlock run --every 1h --at-least 1s nightly -- true
  says err "--at-least is no use"
}

run_tests
