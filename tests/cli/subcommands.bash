# hold, status, break and check.
source "$(dirname "$0")/harness.bash"

# Holds a lock in the background until this test ends; its token is in $token.
hold() {
  local file=${1//\//-}
  mkfifo "pipe-$file"
  interlock hold "$1" --ready-file "ready-$file" <"pipe-$file" >"held-$file" 2>"trouble-$file" &
  holder=$!
  exec {input}>"pipe-$file"
  until_true exists "ready-$file"
  token=$(field token <"ready-$file")
}

test_hold_lives_as_long_as_its_input() {
  hold deploy
  equal "$(cat held-deploy)" "holding deploy, token $token"
  expect 75 interlock run -w 0 deploy true
  exec {input}>&-
  wait "$holder" || fail "it gave $?"
  is_free deploy || fail "still held"
  [ ! -e ready-deploy ] || fail "still said to be held"
  [ ! -s trouble-deploy ] || fail "$(cat trouble-deploy)"
}

test_hold_releases_when_its_input_has_ended() {
  expect 0 interlock hold deploy < <(echo)
  is_free deploy || fail "still held"
}

# A shell gives /dev/null to a command in the background: the script would go on without the lock.
test_hold_without_input_is_refused() {
  expect 64 interlock hold deploy </dev/null
  says err "standard input has ended already"
  silent out
  expect 64 bash -c 'interlock hold deploy <&-'
  expect 64 bash -c 'interlock hold deploy & wait $!'
  is_free deploy || fail "held"
}

test_hold_waits_no_more_when_its_input_has_closed() {
  interlock run deploy -- sleep 60 &
  local holder=$!
  until_true is_held deploy
  expect 75 interlock hold deploy < <(echo)
  says err "'deploy' not acquired: standard input has closed"
  expect 9 interlock hold -q -E 9 deploy < <(echo)
  silent err
  kill "$holder"
  wait "$holder"
  is_free deploy || fail "it has left something behind"
}

test_hold_ends_with_a_script_that_is_killed() {
  bash -c 'exec 3> >(interlock hold deploy --ready-file ready >/dev/null)
    until [ -e ready ]; do sleep 0.01; done; touch up; until [ -e never ]; do sleep 0.01; done' &
  until_true exists up
  is_held deploy || fail "not held"
  kill -9 $!
  until_true is_free deploy
}

test_hold_releases_when_a_signal_ends_it() {
  hold deploy
  kill -TERM "$holder"
  wait "$holder"
  equal $? 143
  is_free deploy || fail "still held"
  [ ! -e ready-deploy ] || fail "still said to be held"
}

test_hold_tells_when_its_lock_is_lost() {
  mkfifo pipe
  interlock hold --ttl 6s deploy --ready-file ready <pipe >held 2>err &
  local holder=$!
  exec {input}>pipe
  until_true exists ready
  expect 0 interlock break deploy --token "$(field token <ready)"
  wait "$holder"
  equal $? 79
}

# recipe WHICH COMMAND: a script of hold's own help, in place of whose dots COMMAND stands. WHICH:
# the shell and the kind.
recipes='bash-coprocess bash-descriptor sh-pipes'
recipe() {
  local caption
  case $1 in
    bash-coprocess) caption='In bash, by a coprocess' ;;
    bash-descriptor) caption='In bash, by a file descriptor' ;;
    sh-pipes) caption='In any shell' ;;
  esac
  interlock hold --help | sed -n "/^  $caption/,/wait .holder || exit\$/s/^    //p" |
    COMMAND=$2 awk '/^\.\.\.$/ { print ENVIRON["COMMAND"]; next } { print }'
}
# run_recipe CODE WHICH [OPTION]: runs the file script as that recipe's shell does.
run_recipe() {
  local code=$1 which=$2
  shift 2
  expect "$code" "${which%-*}" "$@" script
}

test_the_scripts_of_holds_help_have_the_lock_and_release_it() {
  local which option
  for which in $recipes; do
    for option in +e -e -eu; do
      recipe "$which" 'interlock status deploy; sleep 3 8>&- {lock}>&- & ' >script
      [ "$which" != sh-pipes ] || sed -i 's/ {lock}>&-//' script
      [ "$which" != bash-coprocess ] || sed -i 's/ 8>&- {lock}>&-//' script
      grep -q status script || fail "no script"
      run_recipe 0 "$which" "$option"
      says out "deploy: held"
      # What it has left in the background does not keep the lock.
      is_free deploy || fail "still held"
      silent err
    done
  done
}

test_the_scripts_of_holds_help_end_when_the_lock_cannot_be_had() {
  hold deploy
  local which option
  for which in $recipes; do
    recipe "$which" 'touch ran' >script
    for option in +e -e -eu; do
      INTERLOCK_WAIT=0 run_recipe 75 "$which" "$option"
      says err "'deploy' not acquired"
      lines err 1
    done
    INTERLOCK_STORE=sqlite:$dir/none/locks.db run_recipe 69 "$which"
    INTERLOCK_STORE=nonsense run_recipe 78 "$which"
    [ ! -e ran ] || fail "it ran"
  done
}

test_the_scripts_of_holds_help_tell_a_lost_lock() {
  local which option
  for which in $recipes; do
    # hold ends before the script comes to its last lines, or after that.
    for rest in '' '; until gone $holder; do sleep 0.1; done'; do
      # shellcheck disable=SC2016 # the script expands it
      recipe "$which" 'interlock break deploy --yes --token $(interlock status --json deploy | sed "s/.*\"token\":\"\([0-9]*\).*/\1/")'"$rest" >script
      sed -i '1i gone() { ! grep -qs "^State:[[:space:]]*[^ZX[:space:]]" "/proc/$1/status"; }' script
      for option in +e -e -eu; do
        INTERLOCK_TTL=2s run_recipe 79 "$which" "$option"
        says err "lost 'deploy'"
      done
    done
  done
}

test_the_scripts_of_holds_help_release_when_they_are_killed() {
  mkfifo gate
  local which
  for which in $recipes; do
    # Nothing that would outlive it.
    recipe "$which" 'touch up; read -r _ <gate' >script
    "${which%-*}" script &
    until_true exists up
    is_held deploy || fail "not held"
    kill -9 $!
    until_true is_free deploy
    rm up
  done
}

test_a_ready_file_goes_with_a_hold_that_is_killed() {
  mkfifo pipe
  interlock hold --ttl 6s deploy --ready-file ready <pipe >held 2>err &
  local holder=$!
  exec {input}>pipe
  until_true exists ready
  equal "$(field pid <ready)" "$holder"
  kill -9 "$holder"
  until_true eval '[ ! -e ready ]'
  exec {input}>&-
}

# The next holder must not find the file.
test_a_ready_file_goes_in_time_if_its_hold_is_stopped() {
  mkfifo pipe
  interlock hold --ttl 10s deploy --ready-file ready <pipe >held 2>err &
  local holder=$!
  exec {input}>pipe
  until_true exists ready
  kill -STOP "$holder"
  expect 0 interlock run -w 30s deploy -c '[ ! -e ready ]'
  kill -CONT "$holder"
  wait "$holder"
  equal $? 79
  exec {input}>&-
}

test_a_ready_file_stays_while_the_lock_is_renewed() {
  mkfifo pipe
  interlock hold --ttl 5s deploy --ready-file ready <pipe >held 2>err &
  local holder=$!
  exec {input}>pipe
  until_true exists ready
  # Longer than the lease.
  sleep 7
  exists ready || fail "the file has gone"
  exec {input}>&-
  wait "$holder" || fail "it gave $?"
}

test_a_ready_file_of_another_is_left_to_it() {
  mkfifo pipe
  interlock hold --ttl 6s deploy --ready-file ready <pipe >held 2>err &
  local holder=$! watcher
  exec {input}>pipe
  until_true exists ready
  watcher=$(pgrep -P "$holder" -x il-watch)
  echo "another's" >ready
  kill -9 "$holder"
  until_true gone "$watcher"
  equal "$(cat ready)" "another's"
  exec {input}>&-
}

test_a_ready_file_that_another_hold_has_written_stays_when_the_first_ends() {
  mkfifo pipe
  interlock hold first --ready-file ready <pipe >held 2>err &
  local holder=$!
  exec {input}>pipe
  until_true exists ready
  echo "another's" >ready
  exec {input}>&-
  wait "$holder"
  equal "$(cat ready)" "another's"
}

test_a_hold_that_does_not_get_the_lock_leaves_the_holders_ready_file() {
  hold deploy
  expect 75 interlock hold -w 0 deploy --ready-file ready-deploy < <(echo)
  equal "$(field pid <ready-deploy)" "$holder"
  echo stale >ready
  expect 75 interlock hold -w 0 deploy --ready-file ready < <(echo)
  [ ! -e ready ] || fail "that of an earlier run stays"
}

test_hold_does_not_take_a_held_lock() {
  hold deploy
  expect 75 interlock hold -w 0 deploy --ready-file other < <(echo)
  says err "'deploy' not acquired: held by $(hostname) pid $holder"
  expect 5 interlock hold -q -w 0 -E 5 deploy < <(echo)
  silent err
  [ ! -e other ] || fail "said to be ready"
}

test_status_tells_who_holds_what() {
  expect 0 interlock status
  says out "no lock is held"
  hold deploy
  hold 'orders/42 ü'
  expect 0 interlock status deploy
  says out "deploy: held by $(hostname) pid "
  says out ", since $(date +%Y-)"
  says out "; its lease ends in "
  expect 0 interlock status 'orders/42 ü'
  says out "pid $holder "
  says out "token $token;"
  expect 0 interlock status
  lines out 4
  says out "$token"
  expect 0 interlock status --json
  lines out 1
  says out '{"v":1,"store":"'
  says out '"locks":[{"lock":"deploy","held":true,"holder":{"host":"'
}

test_status_of_a_free_lock_changes_nothing() {
  expect 0 interlock status deploy
  equal "$(cat out)" "deploy: free"
  expect 0 interlock status --json deploy
  equal "$(cat out)" '{"v":1,"lock":"deploy","held":false}'
  case $kind in
    sqlite) [ ! -e locks.db ] || fail "a file was made" ;;
    redis) equal "$(redis-cli -p "$redis_port" dbsize)" 0 ;;
  esac
}

test_status_has_an_exit_code_for_scripts() {
  expect 0 interlock status --exit-code deploy
  equal "$(cat out)" "deploy: free"
  expect 0 interlock status --exit-code
  hold deploy
  expect 0 interlock status deploy
  expect 75 interlock status --exit-code deploy
  says out "deploy: held"
  expect 75 interlock status deploy --exit-code --json
  says out '"held":true'
  expect 75 interlock status --exit-code
  expect 75 interlock status --exit-code --json
  expect 0 interlock status --exit-code other
  exec {input}>&-
  wait "$holder"
  interlock run --shared deploy -c 'touch up; until [ -e stop ]; do sleep 0.01; done' &
  until_true exists up
  expect 75 interlock status --exit-code deploy
  touch stop
  wait $!
  # An answer that could not be written is no answer.
  expect 71 bash -c 'interlock status --exit-code deploy >/dev/full'
}

test_a_hold_that_is_lost_says_so_in_json() {
  mkfifo pipe
  interlock hold --json --ttl 1s deploy <pipe >said &
  local holder=$! token
  exec {input}>pipe
  until_true is_held deploy
  token=$(interlock status --json deploy | field token)
  expect 0 interlock break deploy --token "$token"
  wait "$holder"
  equal $? 79
  exec {input}>&-
  grep -q "\"result\":\"lost\",\"exit\":79,\"lock\":\"deploy\",\"token\":\"$token\",\"held_ms\":" said ||
    fail "$(cat said)"
}

test_break_answers_in_json() {
  hold deploy
  expect 75 interlock break --json deploy --token 1
  lines out 1
  says out '{"v":1,"result":"not_acquired","exit":75,"lock":"deploy","error":"'
  silent err
  expect 75 interlock hold --json -w 0 deploy < <(echo)
  says out '"exit":75,"lock":"deploy","busy":{"reason":"held","holder":{"host":"'
  expect 75 interlock run --json -w 0 deploy true
  says err '"busy":{"reason":"held","holder":{"host":"'
  expect 69 interlock run --json --store sqlite:/nonexistent/x deploy true
  says err '"lock":"deploy","error":"'
  expect 0 interlock break --json deploy --token "$token"
  lines out 1
  says out '{"v":1,"result":"removed","exit":0,"lock":"deploy","owner":"'
  says out "\"token\":\"$token\""
  silent err
}

test_status_of_a_held_lock_does_not_prolong_it() {
  interlock run --ttl 60s deploy -c 'kill -STOP $PPID; exec sleep 100' &
  local wrapper=$!
  until_true is_held deploy
  expect 0 interlock status --json deploy
  local before
  before=$(field remaining_ms <out)
  sleep 0.2
  expect 0 interlock status --json deploy
  [ "$(field remaining_ms <out)" -lt "$before" ] || fail "$(cat out) after $before"
  kill -9 "$wrapper"
}

test_a_foreign_holder_is_shown_and_can_be_broken_by_its_value() {
  if [ "$kind" = redis ]; then
    redis-cli -p "$redis_port" set deploy 8f3a px 60000 >/dev/null
    expect 0 interlock status deploy
    says out "deploy: held by another program (token 8f3a)"
    expect 75 interlock run -w 0 deploy true
    says err "held by another program (token 8f3a)"
    expect 75 interlock break deploy --token 1
    expect 0 interlock break deploy --token 8f3a
    is_free deploy || fail "still held"
  fi
}

test_break_removes_only_the_holder_that_was_named() {
  hold deploy
  expect 75 interlock break deploy --token $((token - 1))
  says err "'deploy' not broken: token $((token - 1)) is not its holder's: see interlock status deploy"
  expect 75 interlock break deploy --token 1x
  is_held deploy || fail "no longer held"
  expect 0 interlock break deploy --token "$token"
  equal "$(cat out)" "deploy: removed $(hostname) pid $holder"
  is_free deploy || fail "still held"
  expect 75 interlock break deploy --token "$token"
  says err "nobody holds it"
}

test_break_gives_the_lock_to_the_next_in_the_queue() {
  hold deploy
  # It must not be its release that does so.
  kill -STOP "$holder"
  interlock run deploy -- sleep 60 &
  local waiter=$!
  queued() { interlock status deploy | grep -q "1 in the queue"; }
  until_true queued
  expect 0 interlock break deploy --token "$token"
  interlock status deploy >out
  says out "deploy: held by $(hostname) pid $waiter"
  kill "$waiter"
  kill -9 "$holder"
}

test_a_server_that_is_not_reached_is_told_with_what_may_be_wrong() {
  [ "$kind" = redis ] || return 0
  expect 69 interlock run -w 0 --store redis://no-such-name.invalid:1/0 deploy true
  says err "is the name right"
  ! grep -q "is the server running" err || fail "$(cat err)"
  kill -STOP "$redis_pid"
  expect 69 interlock run -w 0 deploy true
  kill -CONT "$redis_pid"
  says err "does the server hang"
}

test_break_does_not_ask_a_script() {
  hold deploy
  expect 0 interlock break deploy --token "$token" </dev/null
}

test_check_gives_its_verdict() {
  local code=0
  # Not written to disk: a warning.
  [ "$kind" != redis ] || code=1
  expect "$code" interlock check
  silent err
  says out "  good "
  [ "$kind" != redis ] || says out "  warning  "
  expect "$code" interlock check --json
  lines out 1
  says out '{"v":1,"store":"'
  if [ "$kind" = redis ]; then
    expect 69 interlock check --store redis://127.0.0.1:1
    says err "Connection refused"
    redis-cli -p "$redis_port" replicaof 127.0.0.1 1 >/dev/null
    expect 78 interlock check
    says out "  bad "
    redis-cli -p "$redis_port" replicaof no one >/dev/null
  fi
}

test_a_foreign_owner_that_is_not_utf8_can_be_broken_by_what_json_says() {
  [ "$kind" = redis ] || return 0
  printf 'SET foreign "\\xff\\xc2\\x9b2J"\n' | redis-cli -p "$redis_port" >/dev/null
  expect 0 interlock status --json foreign
  says out '"owner":"hex:ffc29b324a"'
  expect 0 interlock status foreign
  ! grep -q $'\xc2\x9b' out || fail "a control character reached the terminal"
  expect 0 interlock break --json foreign --token "$(interlock status --json foreign | field owner)"
  says out '"result":"removed","exit":0,"lock":"foreign"'
  expect 75 interlock break --json foreign --token 1
}

test_the_name_of_a_store_is_no_text_for_the_terminal() {
  [ "$kind" = sqlite ] || return 0
  local store=$'sqlite:\302\2332Jlocks.db'
  expect 0 interlock run --store "$store" deploy -- true
  for command in check status; do
    expect 0 interlock "$command" --store "$store"
    says out '?2Jlocks.db'
    ! grep -q $'\302\233' out || fail "$command: as it is"
  done
}

run_tests
