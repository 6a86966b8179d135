# --metrics: a file, or a small server.
source "$(dirname "$0")/harness.bash"

# The value of a sample in the file: sample FILE NAME [LABELS after lock="deploy"].
sample() { sed -n "s/^$2{lock=\"deploy\"${3:-}} //p" "$1"; }
has_sample() { [ "$(sample "$1" "$2" "${4:-}")" = "$3" ]; }

# Asks a server of --metrics :0, whose line is in the file.
url_in() { sed -n 's/.*metrics are at //p' "$1"; }
ask() {
  local url=$1 host port
  host=${url#http://} host=${host%%:*} port=${url##*:} port=${port%/metrics}
  exec {web}<>"/dev/tcp/$host/$port" || return 1
  printf 'GET /metrics HTTP/1.1\r\n\r\n' >&"$web"
  timeout 20 cat <&"$web" | tr -d '\r'
  exec {web}>&-
}

test_a_file_says_what_was_done() {
  expect 0 interlock run --metrics m.prom deploy true
  equal "$(sample m.prom interlock_acquire_seconds_count)" 1
  equal "$(sample m.prom interlock_hold_seconds_count)" 1
  equal "$(sample m.prom interlock_released_total)" 1
  equal "$(sample m.prom interlock_held)" 0
  silent err
  equal "$(echo m.prom*)" m.prom
}

test_a_file_says_who_waits_and_who_holds() {
  mkfifo pipe
  interlock hold --metrics held.prom deploy <pipe >held 2>&1 &
  exec {input}>pipe
  until_true has_sample held.prom interlock_held 1
  interlock run --metrics waits.prom --metrics-label run=7 deploy true {input}>&- &
  until_true has_sample waits.prom interlock_waiting 1 ',run="7"'
  exec {input}>&-
  until_true has_sample waits.prom interlock_released_total 1 ',run="7"'
  until_true has_sample held.prom interlock_held 0
}

test_the_command_is_counted_while_it_runs() {
  expect 0 interlock run --metrics m.prom deploy -- bash -c \
    'until grep -q "^interlock_held.* 1$" m.prom; do sleep 0.01; done'
}

# The lease must not end first, also on a machine that is slow: that is another reason.
test_a_lock_that_was_lost_is_in_the_file() {
  mkfifo pipe
  interlock hold --ttl 6s --metrics m.prom deploy <pipe >held 2>trouble &
  local holder=$! code=0
  exec {input}>pipe
  until_true has_sample m.prom interlock_held 1
  interlock break deploy --token "$(sed -n 's/.*token //p' held)" >broken || fail "not broken"
  wait "$holder" || code=$?
  equal "$code" 79
  equal "$(sample m.prom interlock_lost_total ',reason="gone"')" 1
  equal "$(sample m.prom interlock_held)" 0
}

# hold ends by itself then, and does not wait for what the client would still report.
test_a_hold_that_ends_in_time_leaves_no_held_lock_in_the_file() {
  [ "$kind" = redis ] || return 0
  trap 'kill -CONT "$redis_pid"; kill -9 $(jobs -p) 2>/dev/null' EXIT
  local holder code
  mkfifo pipe
  interlock hold --ttl 3s --metrics m.prom deploy <pipe >held 2>trouble &
  holder=$! code=0
  exec {input}>pipe
  until_true has_sample m.prom interlock_held 1
  kill -STOP "$redis_pid"
  wait "$holder" || code=$?
  kill -CONT "$redis_pid"
  equal "$code" 79
  equal "$(sample m.prom interlock_held)" 0
  equal "$(sample m.prom interlock_hold_seconds_count)" 1
  equal "$(sample m.prom interlock_lost_total ',reason="not_renewed_in_time"')" 1
}

# The command is ended before the lease is over, so the client itself sees no loss.
test_a_loss_in_time_is_counted_once() {
  [ "$kind" = redis ] || return 0
  trap 'kill -CONT "$redis_pid"; kill -9 $(jobs -p) 2>/dev/null' EXIT
  local command code
  for command in 'exec sleep 100' 'trap "" TERM; while :; do sleep 0.1; done' \
    "trap 'kill -CONT $redis_pid; exit 0' TERM; while :; do sleep 0.1; done"; do
    interlock run --ttl 3s --metrics m.prom deploy -c "touch up; $command" 2>err &
    local wrapper=$!
    until_true exists up
    kill -STOP "$redis_pid"
    code=0
    wait "$wrapper" || code=$?
    kill -CONT "$redis_pid"
    equal "$code" 79
    equal "$(sample m.prom interlock_lost_total ',reason="not_renewed_in_time"')" 1
    equal "$(grep -c '^interlock_lost_total.* [^0]' m.prom)" 1
    equal "$(sample m.prom interlock_hold_seconds_count)" 1
    equal "$(sample m.prom interlock_held)" 0
    until_true is_free deploy
    rm up m.prom
  done
}

# A server of --metrics ends with the program, so a loss must be there before. It is asked for between
# the signal and the end of the lease.
test_a_loss_in_time_is_counted_while_the_command_ends() {
  [ "$kind" = redis ] || return 0
  trap 'kill -CONT "$redis_pid"; touch over; kill -9 $(jobs -p) 2>/dev/null' EXIT
  interlock run --ttl 20s --metrics :0 deploy -c 'trap "touch told" TERM; touch up
    while [ ! -e over ]; do sleep 0.1; done' 2>trouble &
  local wrapper=$! code=0
  until_true exists up
  kill -STOP "$redis_pid"
  until_true exists told
  ask "$(url_in trouble)" >page || fail "no answer"
  equal "$(sample page interlock_lost_total ',reason="not_renewed_in_time"')" 1
  touch over
  kill -CONT "$redis_pid"
  wait "$wrapper" || code=$?
  equal "$code" 79
}

test_a_server_answers_while_the_lock_is_held() {
  mkfifo pipe
  interlock hold --metrics :0 deploy <pipe >held 2>trouble &
  local holder=$!
  exec {input}>pipe
  until_true test -s held
  ask "$(url_in trouble)" >page || fail "no answer"
  equal "$(head -1 page)" "HTTP/1.1 200 OK"
  equal "$(sample page interlock_held)" 1
  exec {input}>&-
  wait "$holder" || fail "it gave $?"
  ! ask "$(url_in trouble)" 2>/dev/null || fail "it still answers"
}

test_a_server_answers_while_the_lock_is_waited_for() {
  mkfifo pipe
  interlock hold deploy <pipe >held &
  exec {input}>pipe
  until_true test -s held
  interlock run -w 1m --metrics 127.0.0.1:0 deploy true 2>trouble {input}>&- &
  local waiter=$!
  until_true test -s trouble
  until_true eval 'ask "$(url_in trouble)" >page && has_sample page interlock_waiting 1'
  exec {input}>&-
  wait "$waiter" || fail "it gave $?"
}

test_clients_that_say_nothing_disturb_nobody() {
  mkfifo pipe
  interlock hold --ttl 9s --metrics :0 deploy <pipe >held 2>trouble &
  local holder=$! url port silent=() _
  exec {input}>pipe
  until_true test -s held
  url=$(url_in trouble) port=${url##*:} port=${port%/metrics}
  for _ in {1..200}; do
    exec {connection}<>"/dev/tcp/127.0.0.1/$port" || fail "no connection"
    silent+=("$connection")
    printf 'GET /met' >&"$connection" 2>/dev/null
  done
  ask "$url" >page || fail "no answer"
  equal "$(head -1 page)" "HTTP/1.1 200 OK"
  until_true eval 'ask "$url" >page && [ "$(sample page interlock_renewal_seconds_count)" -ge 3 ]'
  equal "$(sample page interlock_at_risk_total)" 0
  for connection in "${silent[@]}"; do exec {connection}>&-; done
  exec {input}>&-
  wait "$holder" || fail "it gave $?"
}

test_a_place_that_cannot_be_used_is_said_before_anything_begins() {
  expect 64 interlock run --metrics nowhere/m.prom deploy touch ran
  says err "--metrics nowhere/m.prom cannot be written: No such file or directory"
  lines err 1
  expect 64 interlock run --metrics . deploy touch ran
  expect 64 interlock run --metrics '' deploy touch ran
  expect 64 interlock run --metrics-label a=b deploy touch ran
  says err "--metrics-label a=b without --metrics"
  expect 64 interlock run --metrics m.prom --metrics-label 'lock=b' deploy touch ran
  says err "is in use already"
  expect 64 interlock run --metrics m.prom --metrics-label 'b' deploy touch ran
  for place in : :99999 :-1 :abc :80x ::1:0 :/m.prom; do
    expect 64 interlock run --metrics "$place" deploy touch ran
    says err "--metrics $place is no address: write :PORT, HOST:PORT or [IPV6]:PORT"
    lines err 1
    [ ! -e "$place" ] || fail "a file was written"
  done
  expect 64 interlock run --metrics m.prom --metrics-label 'slot=' deploy touch ran
  says err "--metrics-label slot= has no value; write NAME=VALUE"
  expect 64 interlock hold --metrics host.invalid:1 deploy < <(echo)
  says err "host 'host.invalid' not found"
  mkfifo pipe
  interlock hold --metrics :0 other <pipe >held 2>trouble &
  exec {input}>pipe
  until_true test -s held
  local url port
  url=$(url_in trouble) port=${url##*:} port=${port%/metrics}
  expect 71 interlock run --metrics ":$port" deploy touch ran
  says err "--metrics :$port cannot be listened on: Address already in use"
  lines err 1
  [ ! -e ran ] || fail "the command ran"
  expect 0 interlock run --metrics 9100 deploy true
  expect 0 interlock run --metrics ./:abc deploy true
  [ -s 9100 ] && [ -s ./:abc ] || fail "a file was not written"
  [ ! -e m.prom ] || fail "a file was written"
}

test_a_file_that_cannot_be_written_later_costs_a_message() {
  mkdir folder
  # mv is one step; rm could meet the draft of the next metrics, which comes and goes meanwhile.
  expect 0 interlock run --metrics folder/m.prom deploy -- mv folder elsewhere
  says err "--metrics folder/m.prom not written: No such file or directory"
  lines err 1
}

run_tests
