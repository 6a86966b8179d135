# Messages that nobody reads: the program never waits for their reader while it waits for a lock or
# holds one, and nothing is lost.
source "$(dirname "$0")/harness.bash"

# The writer's end of a pipe is $unread; what is in it is read only by `reads`.
nobody_reads() {
  mkfifo pipe
  exec {both}<>pipe {reader}<pipe {unread}>pipe {both}>&-
}
fill_pipe() { head -c 65536 /dev/zero >&"$unread"; }
# reads PROGRAM: everything until the program ends, into the file err; then its exit code is $code.
reads() {
  cat <&"$reader" >raw {unread}>&- &
  local cat=$!
  exec {unread}>&- {reader}<&-
  code=0
  wait "$1" || code=$?
  wait "$cat"
  tr -d '\0' <raw >err
}

test_the_lock_is_kept_while_nobody_reads_the_messages() {
  nobody_reads
  interlock run -v --ttl 5s deploy -c \
    'timeout 1 head -c 70000 /dev/zero; sleep 6; touch done' >&"$unread" 2>&1 {unread}>&- {reader}<&- &
  local program=$!
  until_true exists done
  until_true is_free deploy
  # It waits for a reader without a lock.
  ! gone "$program" || fail "it has ended, though nobody has read its messages"
  reads "$program"
  equal "$code" 0
  says err "acquired 'deploy'"
  says err "renewed 'deploy'"
  says err "released 'deploy'"
}

test_what_is_left_behind_is_ended_and_the_lock_released_while_nobody_reads() {
  nobody_reads
  interlock run deploy -c 'head -c 65536 /dev/zero >&2; sleep 100 & touch up' 2>&"$unread" {unread}>&- {reader}<&- &
  local program=$!
  until_true exists up
  until_true is_free deploy
  reads "$program"
  equal "$code" 0
  says err "the command left 1 process behind"
}

test_a_waiter_takes_a_free_lock_while_nobody_reads() {
  nobody_reads
  interlock run deploy -c 'touch up; until [ -e stop ]; do sleep 0.01; done' {unread}>&- {reader}<&- &
  until_true exists up
  fill_pipe
  interlock run -v deploy touch ran 2>&"$unread" {unread}>&- {reader}<&- &
  local program=$!
  until_true eval 'interlock status deploy | grep -q "1 in the queue"'
  touch stop
  until_true exists ran
  until_true is_free deploy
  reads "$program"
  equal "$code" 0
  says err "waiting for 'deploy'"
  says err "released 'deploy'"
}

test_hold_releases_while_nobody_reads() {
  nobody_reads
  fill_pipe
  mkfifo input
  interlock hold -v --ttl 5s deploy <input >out 2>&"$unread" {unread}>&- {reader}<&- &
  local program=$! keys
  exec {keys}>input
  until_true grep -q holding out
  # Longer than the lease.
  sleep 6
  is_held deploy || fail "it is lost"
  exec {keys}>&-
  until_true is_free deploy
  reads "$program"
  equal "$code" 0
  says err "released 'deploy'"
}

test_an_exit_code_stays_though_the_reader_goes() {
  nobody_reads
  fill_pipe
  interlock run -v deploy -c 'touch up; exit 7' 2>&"$unread" {unread}>&- {reader}<&- &
  local program=$! code=0
  until_true exists up
  until_true is_free deploy
  ! gone "$program" || fail "it has ended, though nobody has read its messages"
  exec {unread}>&- {reader}<&-
  wait "$program" || code=$?
  equal "$code" 7
}

run_tests
