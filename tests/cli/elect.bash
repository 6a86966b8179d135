# `interlock elect` and `interlock watch`.
source "$(dirname "$0")/harness.bash"

leads() { interlock watch --once scheduler | grep -q ": led by $1"; }
nobody_leads() { [ "$(interlock watch --once scheduler)" = "scheduler: no leader" ]; }

test_the_command_runs_on_the_leader_which_everybody_sees() {
  nobody_leads || fail "somebody leads"
  interlock elect scheduler --value host7:9000 -- sh -c 'echo "$INTERLOCK_TOKEN" >epoch; sleep 60' &
  until_true leads host7:9000
  local leader=$!
  until_true exists epoch
  interlock watch --once scheduler >once
  equal "$(cat once)" "scheduler: led by host7:9000, $(hostname) pid $!, epoch $(cat epoch)"
  interlock watch --once --json scheduler >once
  equal "$(field epoch <once)" "$(cat epoch)"
  equal "$(field value <once)" host7:9000
  says once "\"holder\":{\"host\":\"$(hostname)\",\"pid\":$!},\"owner\":\"il1:"
  expect 75 interlock elect -w 0 scheduler -- touch second
  [ ! -e second ] || fail "a second leader"
  kill "$!"
  wait "$!"
  nobody_leads || fail "the leader is gone"
}

test_the_exit_code_and_the_report_are_those_of_run() {
  expect 3 interlock elect --json scheduler -- sh -c 'exit 3'
  says err '"result":"ok","exit":3,"lock":"scheduler"'
  says err '"token":"'
  expect 127 interlock elect scheduler -- ./no-such-command
  nobody_leads || fail "nothing has run"
}

test_each_change_is_told_in_a_line() {
  interlock watch scheduler >told &
  local observer=$!
  until_true grep -q "no leader" told
  interlock elect scheduler --value one -- sleep 60 &
  until_true grep -q "led by one, " told
  interlock elect scheduler --value two -- sleep 60 &
  local second=$!
  sleep 0.2
  kill %2
  until_true grep -q "led by two, " told
  kill "$second"
  until_true told_ends_without_leader
  kill "$observer"
  grep -v "no leader" told | sed 's/.*led by \([a-z]*\),.*/\1/' >leaders
  equal "$(tr '\n' ' ' <leaders)" "one two "
}
told_ends_without_leader() { [ "$(tail -n 1 told)" = "scheduler: no leader" ]; }

test_of_many_candidates_one_leads_at_a_time() {
  local each
  for each in 1 2 3 4 5; do
    interlock elect -w 60s scheduler --value "$each" -- sh -c \
      'mkdir leading || touch two; sleep 0.05; rmdir leading; echo "$INTERLOCK_TOKEN" >>epochs' &
  done
  wait
  [ ! -e two ] || fail "two leaders at a time"
  equal "$(wc -l <epochs)" 5
  sort -c -u -n epochs || fail "epochs do not grow: $(cat epochs)"
}

test_a_leader_that_is_killed_is_seen_to_be_gone() {
  interlock elect --ttl 5s scheduler --value mortal -- sleep 60 &
  until_true leads mortal
  interlock watch scheduler >told &
  local observer=$!
  until_true grep -q mortal told
  kill -9 %1
  until_true told_ends_without_leader
  kill "$observer"
}

test_a_holder_that_is_no_leader_is_not_shown() {
  interlock run scheduler -- sleep 60 &
  until_true is_held scheduler
  nobody_leads || fail "run leads nobody"
  kill "$!"
}

test_values_cannot_steer_a_terminal() {
  interlock elect scheduler --value $'a\033[31mb\nscheduler: led by mallory' -- sleep 60 &
  until_true is_held scheduler
  until_true leads ''
  interlock watch --once scheduler >once
  lines once 1
  ! grep -q $'\033' once || fail "an escape sequence"
  kill "$!"
}
test_wrong_command_lines_are_refused() {
  expect 64 interlock elect
  says err "no lock given; write interlock elect LOCK -- COMMAND"
  expect 64 interlock elect scheduler
  says err "no command given; write interlock elect LOCK -- COMMAND"
  expect 64 interlock elect --value "$(head -c 4097 /dev/zero | tr '\0' x)" scheduler -- true
  says err "--value of 4097 bytes is too long; choose one of at most 4096"
  expect 64 interlock elect --every 1h scheduler -- true
  expect 64 interlock watch
  says err "no name given; write interlock watch NAME"
  expect 64 interlock watch --once ""
}

test_a_reader_that_goes_ends_watch() {
  interlock watch scheduler | head -n 1 >first &
  local reader=$!
  wait "$reader"
  equal "$(cat first)" "scheduler: no leader"
}

run_tests
