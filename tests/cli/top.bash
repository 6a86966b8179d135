# interlock top, without a terminal; terminal.bash has the rest.
source "$(dirname "$0")/harness.bash"

hold() {
  mkfifo pipe
  interlock hold "$1" <pipe >held 2>trouble &
  holder=$!
  exec {input}>pipe
  until_true test -s held
}

test_one_look_says_who_holds_and_who_waits() {
  hold deploy
  interlock run deploy true {input}>&- &
  until_true eval 'interlock status deploy | grep -q "1 in the queue"'
  expect 0 interlock top
  lines out 3
  says out "1 held, 1 waiting, 0.0+ grants/s in $INTERLOCK_STORE"
  says out "deploy  $(hostname) pid $holder  $(id -un)"
  says out "interlock hold deploy"
}

test_names_limit_it_and_show_free_locks() {
  hold deploy
  expect 0 interlock top other deploy
  says out "1 held, 0 waiting"
  lines out 4
  expect 0 interlock top other
  says out "0 held"
  says_not out deploy
}

test_an_empty_store_has_no_locks() {
  expect 0 interlock top
  says out "0 held, 0 waiting"
}

test_json_is_one_line_for_each_look() {
  hold deploy
  expect 0 interlock top --json --count 3 --interval 100ms
  lines out 3
  equal "$(head -1 out | field held_locks)" 1
  says out "\"user\":\"$(id -un)\""
  says out '"command":"interlock hold deploy"'
  says out '"grants_per_s_at_least":0.0'
  says out "\"pid\":$holder"
  expect 0 interlock top --json
  lines out 1
}

test_a_reader_that_goes_away_ends_it() {
  local code=0
  interlock top --json --count 1000 --interval 100ms | head -1 >out
  code=${PIPESTATUS[0]}
  equal "$code" 141
  lines out 1
}

test_wrong_words_are_said() {
  expect 64 interlock top --interval 1ms
  says err "--interval 1ms is out of range; choose 100ms to 1d"
  expect 64 interlock top --count 0
  says err "--count 0 is no number of looks"
  expect 64 interlock top ''
}

test_a_signal_ends_it() {
  equal "$(interrupted default top --count 1000)" 130
}

test_a_server_that_is_away_is_said() {
  [ "$kind" = redis ] || return 0
  INTERLOCK_STORE=redis://127.0.0.1:1 expect 69 interlock top
  lines err 1
}

run_tests
