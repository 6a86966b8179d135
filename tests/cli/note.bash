# --note: what a holder tells others of itself.
source "$(dirname "$0")/harness.bash"

# hold_with_note LOCK NOTE [FLAG...]: in the background, until its job is killed.
hold_with_note() {
  local lock=$1 note=$2
  shift 2
  interlock run --note "$note" "$@" "$lock" -- sleep 60 &
  holder=$!
  until_true is_held "$lock"
}

test_status_shows_it_while_the_lock_is_held() {
  hold_with_note deploy 'release 42, by "Ann"'
  expect 0 interlock status deploy
  says out '  note: release 42, by "Ann"'
  expect 0 interlock status
  says out NOTE
  says out 'release 42, by "Ann"'
  expect 0 interlock status --json deploy
  says out '"note":"release 42, by \"Ann\""'
  expect 0 interlock status --json
  says out '"note":"release 42, by \"Ann\""'
  expect 75 interlock run -w 0 deploy -- true
  says err ' (release 42, by "Ann") for '
  kill "$holder"
  wait
  expect 0 interlock status --json deploy
  says_not out note
}

test_without_one_nothing_speaks_of_notes() {
  interlock run deploy -- sleep 60 &
  until_true is_held deploy
  expect 0 interlock status deploy
  says_not out note
  expect 0 interlock status
  says_not out NOTE
  kill $!
}

test_it_steers_no_terminal_and_no_shell() {
  hold_with_note deploy $'\e[31m$(touch ran)\n`touch ran`; \x07'
  expect 0 interlock status deploy
  equal "$(grep -c 'note: ' out)" 1
  if LC_ALL=C grep -q '[[:cntrl:]]' out; then fail "a control character was shown"; fi
  says out '$(touch ran)'
  expect 0 interlock status --json deploy
  says out '\u001b[31m'
  [ ! -e ran ] || fail "the note was run"
  kill "$holder"
}

test_bytes_that_are_no_text_are_shown_as_such() {
  hold_with_note deploy $'\xff\xfe'
  expect 0 interlock status --json deploy
  says out '"note":"hex:fffe"'
  kill "$holder"
}

both_are_noted() {
  [ "$(interlock status --json gpu | grep -o '"note":"training [ab]"' | wc -l)" = 2 ]
}

test_each_of_several_holders_has_its_own() {
  hold_with_note gpu 'training a' --permits 1/3
  local first=$holder
  interlock run --note 'training b' --permits 1/3 gpu -- sleep 60 &
  until_true both_are_noted
  expect 0 interlock status gpu
  says out '    note: training a'
  says out '    note: training b'
  kill "$first" $!
}

test_a_lock_that_is_held_for_a_script_has_one_too() {
  sleep 60 | interlock hold --note 'migration' deploy >held &
  until_true is_held deploy
  expect 0 interlock status deploy
  says out '  note: migration'
  kill $!
}

test_the_longest_has_256_bytes() {
  local note
  note=$(printf '%0256d' 0)
  expect 0 interlock run --note "$note" deploy -- true
  expect 64 interlock run --note "${note}0" deploy -- touch ran
  says err 'interlock: --note: the note has 257 bytes: give it at most 256'
  [ ! -e ran ] || fail "it ran"
}

test_one_that_would_fill_the_environment_is_refused() {
  local note names
  note=$(printf '%256s' '' | tr ' ' '/')
  names=$(seq -s, 1 200)
  expect 64 interlock run --note "$note" --all "$names" -- touch ran
  says err 'interlock: --note is too long for 200 locks, whose owner tokens all have it: write a shorter one'
  expect 0 interlock run --note "${note:0:100}" --all "$names" -- true
}

run_tests
