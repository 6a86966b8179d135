# Signals reach the command, and nothing of it stays behind.
source "$(dirname "$0")/harness.bash"

# Shells start background jobs with INT and QUIT ignored: as a terminal would start them.
in_background() { env --default-signal "$@" 2>err & }

test_term_ends_the_command_and_frees_the_lock() {
  in_background interlock run deploy -c 'touch up; exec sleep 100'
  until_true exists up
  kill -TERM $!
  wait $!
  equal $? 143
  is_free deploy || fail "still held"
  silent err
}

test_the_rarer_signals_that_end_a_process_free_the_lock_too() {
  local signal
  for signal in ALRM PROF VTALRM XCPU IO PWR STKFLT RTMIN RTMAX; do
    rm -f up
    in_background interlock run deploy -c 'touch up; exec sleep 100'
    until_true exists up
    kill -s "$signal" $!
    wait $!
    equal "$signal $?" "$signal $((128 + $(kill -l "$signal")))"
    is_free deploy || fail "$signal: still held"
  done
  # As `alarm` leaves it to the program that it executes.
  expect 142 python3 -c 'import os, signal
signal.alarm(1)
os.execvp("interlock", ["interlock", "run", "deploy", "sleep", "100"])'
  is_free deploy || fail "still held"
}

test_a_command_may_handle_its_signals() {
  for signal in INT TERM HUP QUIT USR1 USR2; do
    rm -f up
    in_background interlock run deploy -c \
      "trap 'exit 9' $signal; touch up; while :; do sleep 0.01; done"
    until_true exists up
    kill -s "$signal" $!
    wait $!
    equal "$signal $?" "$signal 9"
  done
}

test_a_second_int_kills() {
  in_background interlock run deploy -c \
    'trap "touch first" INT; touch up; while :; do sleep 0.01; done'
  until_true exists up
  kill -INT $!
  until_true exists first
  kill -INT $!
  wait $!
  equal $? 137
  is_free deploy || fail "still held"
}

test_grandchildren_are_gone_afterwards() {
  # The shell that TERM is meant for ends; what it started heeds nothing.
  in_background interlock run deploy -c '
    sh -c "trap \"\" TERM INT HUP; echo \$\$ >pid; while :; do sleep 0.01; done" &
    wait'
  until_true test -s pid
  kill -TERM $!
  wait $!
  equal $? 143
  gone "$(cat pid)" || fail "a grandchild lives"
}

test_what_a_command_leaves_in_the_background_is_gone_afterwards() {
  expect 0 interlock run deploy -c 'sleep 100 & echo $! >pid'
  gone "$(cat pid)" || fail "it lives"
}

test_a_wait_is_withdrawn_by_a_signal() {
  in_background interlock run deploy -c 'touch up; exec sleep 100'
  local holder=$! signal
  until_true exists up
  for signal in INT:130 TERM:143 HUP:129; do
    rm -f result
    in_background interlock run --status-file result deploy touch ran
    until_true takes_signals $!
    sleep 0.3 # most likely it waits by now; if not, it is interrupted all the same
    kill -s "${signal%:*}" $!
    wait $!
    equal $? "${signal#*:}"
    equal "$(cut -d, -f2 result)" '"result":"interrupted"'
    silent err
  done
  kill "$holder"
  wait "$holder"
  # Nobody is in line any more.
  expect 0 interlock run -w 0 deploy true
  [ ! -e ran ] || fail "it ran"
}

test_a_signal_that_ends_the_wait_for_what_is_left_behind_is_the_exit_code() {
  local pause program code
  # The program hears of the command's end after the system; a signal that comes between the two is
  # passed on, and ends what was left behind. So a busy machine gets another try, with more time.
  for pause in 0.3 2 6 15; do
    rm -f pid
    in_background interlock run --left-behind wait --status-file result deploy -c \
      'echo $$ >pid; sleep 100 & exit 0'
    program=$! code=0
    until_true test -s pid
    until_true gone "$(cat pid)"
    sleep "$pause"
    kill -TERM "$program"
    wait "$program" || code=$?
    is_free deploy || fail "still held"
    [ "$code" = 0 ] || break
  done
  equal "$code" 143
  equal "$(cut -d, -f2,3 result)" '"result":"interrupted","exit":143'
}

test_a_signal_that_was_ignored_before_stays_ignored() {
  env --ignore-signal=HUP interlock run deploy -c 'touch up; until [ -e stop ]; do sleep 0.01; done' &
  until_true exists up
  kill -HUP $!
  sleep 0.1
  touch stop
  wait $!
  equal $? 0
}

test_the_command_has_the_signals_as_its_caller_left_them() {
  local how
  for how in --default-signal --ignore-signal=PIPE,CHLD,USR1,HUP --block-signal=TERM; do
    expect 0 env "$how" grep -E '^Sig(Blk|Ign)' /proc/self/status
    cp out before
    expect 0 env "$how" interlock run deploy grep -E '^Sig(Blk|Ign)' /proc/self/status
    equal "$(cat out)" "$(cat before)"
  done
}

test_a_command_that_is_stopped_keeps_its_lock_until_it_is_continued() {
  # No shell that starts commands: one that is stopped while its child has not begun is not `stopped`
  # for the system, it waits for the child (vfork).
  mkfifo gate
  in_background setsid interlock run --ttl 6s deploy -c 'echo $$ >pid; exec cat gate'
  local wrapper=$!
  until_true test -s pid
  kill -TSTP "$wrapper"
  until_true grep -q '^State:.T' "/proc/$(cat pid)/status"
  # Longer than the lease.
  sleep 8
  is_held deploy || fail "no longer held"
  kill -CONT "$wrapper"
  : >gate
  wait "$wrapper"
  equal $? 0
}

run_tests
